// SPDX-License-Identifier: Apache-2.0
// The rows of a comparison as tables, one a benchmark: what text and Markdown print.
#pragma once

#include <string>
#include <vector>

#include "common/compare/compare.hpp"
#include "common/compare/fold.hpp"
#include "common/text/table.hpp"

namespace scalemark::compare {

struct CompareTable {
  std::vector<text::TextColumn> columns;
  std::vector<text::TextRow> rows;
};

/// Columns: verdict, case, where there are sweeps their spark line (cost, worse is higher), points
/// by verdict and worst point, then A, B, change, interval, runs, runs needed and flags of the row
/// or of the sweep's worst point. The unit stands in the header. `threshold` is the least height of
/// a spark line. Where `color` is set, rows carry their verdict's.
CompareTable compare_table(const FoldGroup& group, double threshold, bool utf8, bool color);

/// The SGR code of a verdict's colour: red worse, yellow open, green fine.
std::string verdict_color(std::string_view verdict);

}  // namespace scalemark::compare
