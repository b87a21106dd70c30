// SPDX-License-Identifier: Apache-2.0
// Aligned tables for a terminal: columns as wide as they need to be.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace scalemark::text {

struct TextColumn {
  std::string header;
  bool number = false;   ///< aligned to the right
  bool shrinks = false;  ///< names of the rows: one column at most
  bool aside = false;    ///< leaves the table where that is wider than the terminal
};

struct TextRow {
  std::vector<std::string> cells;
  std::string color;  ///< of the first cell: an SGR code such as "31"; empty = none
};

/// Characters that UTF-8 text takes on a terminal, each counted as one column wide.
std::size_t columns_of(std::string_view text);

/// A header line and the rows, as fit_table() arranges them for `width` columns; 0 = not limited.
void print_text_table(const std::vector<TextColumn>& columns, const std::vector<TextRow>& rows,
                      std::size_t width, std::ostream& out);

}  // namespace scalemark::text
