// SPDX-License-Identifier: Apache-2.0
// Pads cells and prints aligned tables.
#include "common/text/table.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "common/base/text.hpp"
#include "common/text/fit.hpp"

namespace scalemark::text {
namespace {

constexpr std::size_t kGap = 2;

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

std::string padded(const std::string& cell, std::size_t width, bool number) {
  const std::string shown = text::shortened(cell, width);
  const std::string blanks(width - std::min(width, columns_of(shown)), ' ');
  return number ? blanks + shown : shown + blanks;
}

std::string line_of(const std::vector<TextColumn>& columns, const TextRow& row,
                    const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string cell = padded(row.cells[i], widths[i], columns[i].number);
    if (i == 0 && !row.color.empty()) {
      line += fmt::format("\x1b[{}m{}\x1b[0m", row.color, cell);
    } else {
      line += std::string(i > 0 ? kGap : 0, ' ') + cell;
    }
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); }));
}

void print_text_table(const std::vector<TextColumn>& columns, const std::vector<TextRow>& rows,
                      std::size_t width, std::ostream& out) {
  const FittedTable table = fit_table(columns, rows, width);
  TextRow header;
  for (const TextColumn& column : table.columns) header.cells.push_back(column.header);
  const std::string shared = table.shared.empty() ? "" : fmt::format("({})", table.shared);
  if (const std::string title =
          table.title + (table.title.empty() || shared.empty() ? "" : "  ") + shared;
      !title.empty())
    fmt::print(out, "{}\n", title);
  fmt::print(out, "{}\n", line_of(table.columns, header, table.widths));
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if (!table.above[i].empty()) fmt::print(out, "{}\n", table.above[i]);
    fmt::print(out, "{}\n", line_of(table.columns, table.rows[i], table.widths));
    if (!table.below[i].empty()) fmt::print(out, "{}\n", table.below[i]);
  }
}

}  // namespace scalemark::text
