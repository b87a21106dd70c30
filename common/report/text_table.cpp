// SPDX-License-Identifier: Apache-2.0
// Widths, cutting and padding of tables.
#include "common/report/text_table.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ostream.h>

namespace scalemark::report {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kLeastShrunk = 16;
constexpr std::string_view kCut = "..";

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// The bytes of the first `count` characters.
std::size_t bytes_of(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  while (at < text.size() && count > 0) {
    ++at;
    while (at < text.size() && continues(text[at])) ++at;
    --count;
  }
  return at;
}

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
  const std::string text = cut_in_the_middle(cell, width);
  const std::string blanks(width - std::min(width, columns_of(text)), ' ');
  return number ? blanks + text : text + blanks;
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

std::string cut_in_the_middle(std::string_view text, std::size_t width) {
  const std::size_t all = columns_of(text);
  if (all <= width) return std::string(text);
  if (width <= kCut.size()) return std::string(text.substr(0, bytes_of(text, width)));
  const std::size_t kept = width - kCut.size(), front = kept / 2;
  std::string cut(text.substr(0, bytes_of(text, front)));
  cut += kCut;
  cut += text.substr(bytes_of(text, all - (kept - front)));
  return cut;
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
