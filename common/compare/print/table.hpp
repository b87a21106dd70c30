// SPDX-License-Identifier: Apache-2.0
// Tables of a comparison, one per benchmark, for text and Markdown.
#pragma once

#include <string>
#include <vector>

#include "common/compare/compare.hpp"
#include "common/compare/fold.hpp"
#include "common/text/table.hpp"

namespace scalemark::compare {

/// Columns and cells of one table.
struct CompareTable {
  std::vector<text::TextColumn> columns;
  std::vector<text::TextRow> rows;
};

/// Builds the table of a group. First columns: verdict and case. Only with sweeps: a sparkline of
/// the cost (higher is worse), points by verdict, and the worst point. Last columns: A, B, change,
/// interval, runs, runs needed, flags. A sweep shows the numbers of its worst point. A sparkline's
/// range is at least +-`threshold`. `color`: color rows by verdict.
CompareTable compare_table(const FoldGroup& group, double threshold, bool utf8, bool color);

/// The SGR color code of a verdict: red = worse, yellow = inconclusive, green = fine.
std::string verdict_color(std::string_view verdict);

}  // namespace scalemark::compare
