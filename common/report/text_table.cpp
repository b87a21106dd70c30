// SPDX-License-Identifier: Apache-2.0
// Widths, cutting and padding of tables.
#include "common/report/text_table.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "common/base/text.hpp"

namespace scalemark::report {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kLeastShrunk = 16;

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

std::vector<std::size_t> widths_of(const std::vector<TextColumn>& columns,
                                   const std::vector<TextRow>& rows, std::size_t width) {
  std::vector<std::size_t> widths;
  std::size_t total = 0, shrinking = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::size_t widest = columns_of(columns[i].header);
    for (const TextRow& row : rows) widest = std::max(widest, columns_of(row.cells[i]));
    widths.push_back(widest);
    total += widest + (i > 0 ? kGap : 0);
    if (columns[i].shrinks) ++shrinking;
  }
  if (width == 0 || total <= width || shrinking == 0) return widths;
  const std::size_t excess = (total - width + shrinking - 1) / shrinking;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!columns[i].shrinks) continue;
    const std::size_t least = std::min(widths[i], kLeastShrunk);
    widths[i] = std::max(least, widths[i] > excess ? widths[i] - excess : 0);
  }
  return widths;
}

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
  const std::vector<std::size_t> widths = widths_of(columns, rows, width);
  TextRow header;
  for (const TextColumn& column : columns) header.cells.push_back(column.header);
  fmt::print(out, "{}\n", line_of(columns, header, widths));
  for (const TextRow& row : rows) fmt::print(out, "{}\n", line_of(columns, row, widths));
}

}  // namespace scalemark::report
