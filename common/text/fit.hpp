// SPDX-License-Identifier: Apache-2.0
// Fits tables to a terminal's width without dropping information, and wraps long lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/text/table.hpp"

namespace scalemark::text {

/// A table fitted to a width, ready to print.
struct FittedTable {
  std::string title;   ///< line above the header: words that all names share; empty = none
  std::string shared;  ///< follows the title: cells of removed columns that are equal in all rows
  /// Remaining columns and rows.
  std::vector<TextColumn> columns;
  std::vector<TextRow> rows;
  /// Per row, a line printed above or below it; empty = none.
  std::vector<std::string> above, below;
  std::vector<std::size_t> widths;  ///< per column, in characters
};

/// Fits a table to `width` terminal columns where possible; 0 = no limit. Steps, until it fits:
/// 1. Words that all names share move to the title.
/// 2. Columns marked `aside` are removed, the last first: their cells move to the title line if all
/// rows agree, else to a line below each row.
/// 3. Names are cut in the middle to at least 30 characters. If cut names would no longer differ,
/// whole names go on a line above their row instead.
FittedTable fit_table(const std::vector<TextColumn>& columns, const std::vector<TextRow>& rows,
                      std::size_t width);

/// Wraps lines longer than `width` columns; 0 = no limit. Continuation lines are indented by four
/// more columns. SGR color codes take no columns; a word longer than a line is not broken.
std::string wrapped(std::string_view text, std::size_t width);

}  // namespace scalemark::text
