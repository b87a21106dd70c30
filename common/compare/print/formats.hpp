// SPDX-License-Identifier: Apache-2.0
// The printers behind print_comparison, and the texts that text and Markdown share.
#pragma once

#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "common/compare/print/comparison.hpp"

namespace scalemark::compare {

void print_comparison_text(const Comparison& comparison, std::ostream& out,
                           const ComparePrintOptions& options);
void print_comparison_markdown(const Comparison& comparison, std::ostream& out, bool all);
void print_comparison_json(const Comparison& comparison, std::ostream& out);
void print_comparison_csv(const Comparison& comparison, std::ostream& out);
void print_comparison_junit(const Comparison& comparison, std::ostream& out, bool strict);

/// A row as cells: verdict, case, metric, A, B, change, interval, runs, runs needed, flags.
std::vector<std::string> row_cells(const CompareRow& row);

/// "REGRESSION: 1 regression, 2 improved, 10 same, 3 inconclusive, 0 failed, 0 missing, 0 new"
std::string verdict_line(const Comparison& comparison);
/// What was compared and how, what moved everything, what could have been found.
std::vector<std::string> method_lines(const Comparison& comparison);
/// The shift of the whole run, then geometric means over rows.
std::vector<std::string> overall_lines(const Comparison& comparison);
/// Slow ranks, changed tails and modes: one line each.
std::vector<std::string> finding_lines(const Comparison& comparison);
std::vector<std::string> cause_lines(const Comparison& comparison);
/// How many facts one side alone knows; empty where there are none.
std::string one_side_line(std::span<const EnvironmentDifference> facts);
nlohmann::ordered_json environment_json(std::span<const EnvironmentDifference> facts);

/// Percent with its sign and two decimals below 10 %; "-" for what is no number.
std::string signed_percent(double fraction);

}  // namespace scalemark::compare
