// SPDX-License-Identifier: Apache-2.0
// Sections of a page as HTML without heading. A section with nothing to show is empty.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "common/compare/compare.hpp"
#include "common/html/explained_step.hpp"
#include "common/html/extract.hpp"
#include "common/html/machine.hpp"
#include "common/html/rows.hpp"

namespace scalemark::html {

/// Size limits of a section's drawings or rows in bytes; together they keep a page below 2 MB.
constexpr std::size_t kRowBytes = 600'000, kCurveBytes = 450'000, kDrawingBytes = 120'000,
                      kDataBytes = 250'000, kStudyBytes = 200'000;

// Sections about runs.
/// What was measured, in one sentence; a coloured band if something failed or is missing.
std::string counts_band(const std::vector<Row>& rows, std::span<const RunExtract> runs);
std::string runs_table(std::span<const RunExtract> runs);
std::string notable_rows(const std::vector<Row>& rows, std::span<const RunExtract> runs);
std::string not_measured(const std::vector<Row>& rows);
std::string environment_facts(std::span<const RunExtract> runs);
/// `base`: rows of earlier runs, drawn behind those with the same key.
std::string size_curves(const std::vector<Group>& groups, const std::vector<Row>& base);
std::string scaling(std::span<const RunExtract> runs, const std::vector<Group>& groups);
std::string distributions(const std::vector<Group>& groups);
std::string rank_maps(const std::vector<Row>& rows, std::span<const RunExtract> runs);
/// NHWC against NCHW, if rows have both.
std::string layouts(const std::vector<Group>& groups);
std::string trainings(const std::vector<Group>& groups);
std::string explained_steps(std::span<const ExplainedStep> steps);
std::string places(std::span<const RunExtract> runs);
/// Paths and bandwidth between GPUs.
std::string gpu_matrices(const std::vector<Row>& rows, std::span<const RunExtract> runs);
/// What each rank did when, in trainings.
std::string timelines(const std::vector<Row>& rows, std::span<const RunExtract> runs);
/// Tables of the studies that the runs repeat.
std::string studies(std::span<const RunExtract> runs);
std::string all_rows(const std::vector<Group>& groups);
/// The rows as JSON to copy.
std::string rows_data(const std::vector<Row>& rows, std::span<const RunExtract> runs);

// Sections about a comparison.
std::string verdict_band(const compare::Comparison& comparison, const SideNames& names);
std::string findings(const compare::Comparison& comparison);
std::string worst_rows(const compare::Comparison& comparison);
std::string environment_differences(const compare::Comparison& comparison);
std::string failed_and_missing(const compare::Comparison& comparison);
std::string compared_rows(const compare::Comparison& comparison);
std::string comparison_data(const compare::Comparison& comparison);

/// The program that made the page, and how to read its numbers and brackets.
std::string page_footer();

/// JSON in a text field, from which it can be selected and copied without a script.
std::string copyable(std::string_view summary, const std::string& json);

}  // namespace scalemark::html
