// SPDX-License-Identifier: Apache-2.0
// The parts of a page. Each is HTML without its heading; one that has nothing to show is empty.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "common/compare/compare.hpp"
#include "common/html/extract.hpp"
#include "common/html/machine.hpp"
#include "common/html/rows.hpp"

namespace scalemark::html {

/// Largest size of a section's drawings or rows in bytes: together they keep a page below 2 MB.
constexpr std::size_t kRowBytes = 600'000, kCurveBytes = 450'000, kDrawingBytes = 120'000,
                      kDataBytes = 250'000;

// Of runs.
/// What was measured, in a sentence; a band of its own only where something failed or is missing.
std::string counts_band(const std::vector<Row>& rows, std::span<const RunExtract> runs);
std::string runs_table(std::span<const RunExtract> runs);
std::string notable_rows(const std::vector<Row>& rows, std::span<const RunExtract> runs);
std::string not_measured(const std::vector<Row>& rows);
std::string environment_facts(std::span<const RunExtract> runs);
/// `base` holds rows of earlier runs, drawn behind those of the same key.
std::string size_curves(const std::vector<Group>& groups, const std::vector<Row>& base);
std::string scaling(std::span<const RunExtract> runs, const std::vector<Group>& groups);
std::string distributions(const std::vector<Group>& groups);
std::string rank_maps(const std::vector<Row>& rows, std::span<const RunExtract> runs);
/// NHWC against NCHW, where rows have both.
std::string layouts(const std::vector<Group>& groups);
std::string trainings(const std::vector<Group>& groups);
std::string places(std::span<const RunExtract> runs);
std::string published(const std::vector<Row>& rows);
std::string all_rows(const std::vector<Group>& groups);
/// The rows as JSON to copy.
std::string rows_data(const std::vector<Row>& rows, std::span<const RunExtract> runs);

// Of a comparison.
std::string verdict_band(const compare::Comparison& comparison, const SideNames& names);
std::string findings(const compare::Comparison& comparison);
std::string worst_rows(const compare::Comparison& comparison);
std::string environment_differences(const compare::Comparison& comparison);
std::string failed_and_missing(const compare::Comparison& comparison);
std::string compared_rows(const compare::Comparison& comparison);
std::string comparison_data(const compare::Comparison& comparison);

/// Who made the page, and what its numbers and brackets are.
std::string page_footer();

/// JSON in a text field, in which it can be marked and copied without a script.
std::string copyable(std::string_view summary, const std::string& json);

}  // namespace scalemark::html
