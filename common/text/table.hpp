// SPDX-License-Identifier: Apache-2.0
// Aligned tables for a terminal.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace scalemark::text {

/// SGR codes for colours of rows.
inline constexpr std::string_view kRed = "31", kYellow = "33", kBold = "1";

struct TextColumn {
  std::string header;
  bool number = false;   ///< right-aligned
  bool shrinks = false;  ///< holds the names of the rows, which may be cut; at most one column
  bool aside = false;    ///< may be removed if the table is wider than the terminal
};

struct TextRow {
  std::vector<std::string> cells;
  std::string color;  ///< SGR code for the first cell, such as "31"; empty = none
};

/// Terminal columns that UTF-8 text takes. Each character counts as one column.
std::size_t columns_of(std::string_view text);

/// Prints a header line and the rows, fitted to `width` columns by fit_table(); 0 = no limit.
void print_text_table(const std::vector<TextColumn>& columns, const std::vector<TextRow>& rows,
                      std::size_t width, std::ostream& out);

}  // namespace scalemark::text
