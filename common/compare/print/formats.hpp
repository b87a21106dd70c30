// SPDX-License-Identifier: Apache-2.0
// Internal printers of a comparison, and text shared by several formats.
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

/// The cells of a row: verdict, case, metric, A, B, change, interval, runs, runs needed, flags.
std::vector<std::string> row_cells(const CompareRow& row);

/// "REGRESSION: 1 regression, 2 improved, 10 same, 3 inconclusive, 0 failed, 0 missing, 0 new"
std::string verdict_line(const Comparison& comparison);
/// Describes sides, threshold, test, overall changes and the smallest detectable change.
std::vector<std::string> method_lines(const Comparison& comparison);
/// The whole-run shift, then geometric means over rows.
std::vector<std::string> overall_lines(const Comparison& comparison);
/// One line per finding: slow ranks, changed tails and modes.
std::vector<std::string> finding_lines(const Comparison& comparison);
/// One line per likely cause; facts already listed as differences are only named.
std::vector<std::string> cause_lines(const Comparison& comparison);
/// Number of facts known on one side only; empty if there are none.
std::string one_side_line(std::span<const EnvironmentDifference> facts);
/// A JSON array of differing facts.
nlohmann::ordered_json environment_json(std::span<const EnvironmentDifference> facts);

/// Percent with sign: two decimals below 10 %, else one; "-" for NaN.
std::string signed_percent(double fraction);

}  // namespace scalemark::compare
