// SPDX-License-Identifier: Apache-2.0
// Tables made narrow enough for a terminal without losing a word of them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/text/table.hpp"

namespace scalemark::text {

/// A table as it is printed.
struct FittedTable {
  std::string title;   ///< a line above the header: words of all names; empty = none
  std::string shared;  ///< behind it: what columns set aside say of all rows; empty = none
  std::vector<TextColumn> columns;
  std::vector<TextRow> rows;
  std::vector<std::string> above, below;  ///< a line of each row; empty = none
  std::vector<std::size_t> widths;        ///< of the columns
};

/// A table of at most `width` columns, where that can be; 0 = not limited. What is too wide gives
/// way in this order: words that all names have go to the title; columns `aside` go, the last
/// first, to the title where all rows agree, else to a line below their row; names are cut in the
/// middle, to no less than 30 characters and only where they still differ, else they stand on a
/// line above their row.
FittedTable fit_table(const std::vector<TextColumn>& columns, const std::vector<TextRow>& rows,
                      std::size_t width);

/// Lines longer than `width` columns go on in the next one, four columns further in. SGR codes take
/// none; a word longer than a line stays whole. 0 = not limited.
std::string wrapped(std::string_view text, std::size_t width);

}  // namespace scalemark::text
