// SPDX-License-Identifier: Apache-2.0
// Fits tables to a terminal's width step by step, and wraps long lines.
#include "common/text/fit.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "common/base/text.hpp"

namespace scalemark::text {
namespace {

constexpr std::size_t kColumnGap = 2;
constexpr std::size_t kMinName = 30;
constexpr std::size_t kHanging = 4;

bool is_nothing(const std::string& cell) { return cell.empty() || cell == "-"; }

std::size_t widest_cell(const FittedTable& table, std::size_t column) {
  std::size_t widest = columns_of(table.columns[column].header);
  for (const TextRow& row : table.rows) widest = std::max(widest, columns_of(row.cells[column]));
  return widest;
}

/// Width of a row in terminal columns if names are cut to at most `names`.
std::size_t total_width(const FittedTable& table, std::size_t names) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const std::size_t widest = widest_cell(table, i);
    total +=
        (table.columns[i].shrinks ? std::min(widest, names) : widest) + (i > 0 ? kColumnGap : 0);
  }
  return total;
}

std::size_t name_column(const FittedTable& table) {
  const auto is = [](const TextColumn& column) { return column.shrinks; };
  return static_cast<std::size_t>(std::find_if(table.columns.begin(), table.columns.end(), is) -
                                  table.columns.begin());
}

void erase_column(FittedTable& table, std::size_t column) {
  const auto at = static_cast<std::ptrdiff_t>(column);
  table.columns.erase(table.columns.begin() + at);
  for (TextRow& row : table.rows) row.cells.erase(row.cells.begin() + at);
}

std::set<std::string> word_set(const std::string& name) {
  const std::vector<std::string> words = text::split(name, ' ');
  return {words.begin(), words.end()};
}

/// Moves words that all names share to the title. A name without other words becomes "-".
void lift_shared_words(FittedTable& table, std::size_t column) {
  std::set<std::string> shared = word_set(table.rows.front().cells[column]);
  for (const TextRow& row : table.rows) {
    const std::set<std::string> row_words = word_set(row.cells[column]);
    std::erase_if(shared, [&](const std::string& word) { return !row_words.contains(word); });
  }
  if (shared.empty()) return;
  bool all_alike = true;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    std::string& name = table.rows[i].cells[column];
    std::vector<std::string> kept, lifted;
    for (std::string& word : text::split(name, ' '))
      (shared.contains(word) ? lifted : kept).push_back(std::move(word));
    if (i == 0) table.title = text::join(lifted, " ");
    name = kept.empty() ? "-" : text::join(kept, " ");
    all_alike = all_alike && kept.empty();
  }
  if (all_alike) erase_column(table, column);
}

/// Removes a column. Its cells go to the title line if all rows agree, else to the lines below the
/// rows.
void set_aside(FittedTable& table, std::size_t column) {
  const std::string header = table.columns[column].header;
  const std::string first = table.rows.front().cells[column];
  const bool all_equal = table.rows.size() > 1 &&
                         std::all_of(table.rows.begin(), table.rows.end(),
                                     [&](const auto& row) { return row.cells[column] == first; });
  if (all_equal) {
    if (!is_nothing(first))
      table.shared =
          fmt::format("{}: {}{}{}", header, first, table.shared.empty() ? "" : "; ", table.shared);
  } else {
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      const std::string& cell = table.rows[i].cells[column];
      if (is_nothing(cell)) continue;
      std::string& line = table.below[i];
      line = fmt::format("    {}: {}{}{}", header, cell, line.empty() ? "" : "; ",
                         line.empty() ? "" : line.substr(kHanging));
    }
  }
  erase_column(table, column);
}

void set_columns_aside(FittedTable& table, std::size_t width) {
  while (total_width(table, kMinName) > width) {
    std::size_t last = table.columns.size();
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (table.columns[i].aside) last = i;
    }
    if (last == table.columns.size()) return;
    set_aside(table, last);
  }
}

/// Whether names that differ still differ when cut to `width`.
bool remain_distinct(const FittedTable& table, std::size_t column, std::size_t width) {
  std::set<std::string> whole, cut;
  for (const TextRow& row : table.rows) {
    whole.insert(row.cells[column]);
    cut.insert(text::shortened(row.cells[column], width));
  }
  return whole.size() == cut.size();
}

void put_names_above(FittedTable& table, std::size_t column) {
  for (std::size_t i = 0; i < table.rows.size(); ++i) table.above[i] = table.rows[i].cells[column];
  erase_column(table, column);
}

FittedTable unlimited(const std::vector<TextColumn>& columns, const std::vector<TextRow>& rows) {
  FittedTable table;
  table.columns = columns;
  table.rows = rows;
  table.above.resize(rows.size());
  table.below.resize(rows.size());
  return table;
}

void set_widths(FittedTable& table, std::size_t names) {
  table.widths.clear();
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const std::size_t widest = widest_cell(table, i);
    table.widths.push_back(table.columns[i].shrinks ? std::min(widest, names) : widest);
  }
}

/// Appends one line to `out`, wrapped if it is longer than `width`.
void wrap_line(std::string_view line, std::size_t width, std::string& out) {
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size()) + kHanging;
  std::size_t column = 0, blank = std::string_view::npos, from = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '\x1b') {  // skip to the letter that ends the SGR code
      while (at + 1 < line.size() && line[at] != 'm') ++at;
      continue;
    }
    if (line[at] == ' ' && column >= indent) blank = at;
    if (columns_of(line.substr(at, 1)) > 0 && ++column > width && blank != std::string_view::npos) {
      const std::size_t end = line.find_last_not_of(' ', blank) + 1;
      out.append(line.substr(from, end - from))
          .append("\n")
          .append(std::min(indent, width / 2), ' ');
      from = std::min(line.find_first_not_of(' ', blank), line.size());
      column = std::min(indent, width / 2);
      at = from - 1;
      blank = std::string_view::npos;
    }
  }
  out.append(line.substr(from));
}

}  // namespace

FittedTable fit_table(const std::vector<TextColumn>& columns, const std::vector<TextRow>& rows,
                      std::size_t width) {
  constexpr std::size_t kWhole = static_cast<std::size_t>(-1);
  FittedTable table = unlimited(columns, rows);
  set_widths(table, kWhole);
  if (width == 0 || rows.empty() || total_width(table, kWhole) <= width) return table;
  if (const std::size_t names = name_column(table); names < table.columns.size())
    lift_shared_words(table, names);
  const FittedTable lifted = table;
  set_columns_aside(table, width);
  std::size_t names = name_column(table);
  std::size_t room = kWhole;
  if (names < table.columns.size()) {
    const std::size_t widest = widest_cell(table, names);
    const std::size_t others = total_width(table, kWhole) - widest;
    room = std::max(std::min(widest, kMinName), width - std::min(width, others));
    if (total_width(table, room) > width || !remain_distinct(table, names, room)) {
      table = lifted;
      put_names_above(table, name_column(table));
      set_columns_aside(table, width);
      room = kWhole;
    }
  }
  set_widths(table, room);
  return table;
}

std::string wrapped(std::string_view text, std::size_t width) {
  if (width == 0) return std::string(text);
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    wrap_line(text.substr(0, end), width, out);
    if (end == std::string_view::npos) break;
    out += '\n';
    text.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace scalemark::text
