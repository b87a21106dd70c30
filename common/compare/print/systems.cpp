// SPDX-License-Identifier: Apache-2.0
// Prints a comparison of several systems.
#include "common/compare/print/systems.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "common/base/counted.hpp"
#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/base/units.hpp"
#include "common/stats/summary.hpp"
#include "common/text/cells.hpp"
#include "common/text/display_unit.hpp"
#include "common/text/fit.hpp"
#include "common/text/table.hpp"

namespace scalemark::compare {
namespace {

using nlohmann::ordered_json;

/// The rows of one benchmark and metric, with a common header and unit.
struct Group {
  std::vector<const SystemRow*> rows;
  std::vector<text::TextColumn> columns;
  text::DisplayUnit unit;
};

std::string ratio_cell(const SystemCell& cell) {
  if (!std::isfinite(cell.ratio)) return "-";
  const std::string ratio = units::significant(cell.ratio, 3);
  if (!std::isfinite(cell.low)) return ratio;
  return fmt::format("{} [{}, {}]", ratio, units::significant(cell.low, 3),
                     units::significant(cell.high, 3));
}

/// "1", or "2=" for a shared rank.
std::string rank_cell(const SystemCell& cell) {
  return cell.rank == 0 ? std::string("-") : fmt::format("{}{}", cell.rank, cell.tied ? "=" : "");
}

std::vector<text::TextColumn> system_columns(const SystemTable& table,
                                             const text::DisplayUnit& unit,
                                             const std::string& metric) {
  const std::string symbol = unit.symbol.empty() ? "" : " " + unit.symbol;
  std::vector<text::TextColumn> columns = {{"case", false, true},
                                           {metric + symbol, false, false, true}};
  for (std::size_t i = 0; i < table.names.size(); ++i) {
    columns.push_back({table.names[i], true});
    if (table.has_peaks) columns.push_back({"% peak", true});
    if (i > 0) columns.push_back({fmt::format("/ {}", table.names[0]), true});
    columns.push_back({"rank", true});
  }
  return columns;
}

std::vector<Group> groups_of(const SystemTable& table) {
  std::vector<Group> groups;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> places;
  for (const SystemRow& row : table.rows) {
    const std::string benchmark = row.key.substr(0, row.key.find(' '));
    const auto [place, fresh] =
        places.emplace(std::tuple(benchmark, row.metric, row.unit), groups.size());
    if (fresh) groups.emplace_back();
    groups[place->second].rows.push_back(&row);
  }
  for (Group& group : groups) {
    std::vector<double> values;
    for (const SystemRow* row : group.rows) {
      for (const SystemCell& cell : row->cells) {
        if (std::isfinite(cell.value)) values.push_back(cell.value);
      }
    }
    const SystemRow& first = *group.rows.front();
    group.unit = text::display_unit(first.unit, values.empty() ? 1 : stats::median(values));
    group.columns = system_columns(table, group.unit, first.metric);
  }
  return groups;
}

text::TextRow text_row(const SystemTable& table, const Group& group, const SystemRow& row) {
  text::TextRow line{{row.key, row.better == Better::higher  ? "higher is better"
                               : row.better == Better::lower ? "lower is better"
                                                             : "-"},
                     ""};
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    const SystemCell& cell = row.cells[i];
    line.cells.push_back(text::metric_cell(cell.value, group.unit, std::nullopt));
    if (table.has_peaks) {
      line.cells.push_back(std::isfinite(cell.peak_fraction)
                               ? fmt::format("{:.1f}", 100 * cell.peak_fraction)
                               : "-");
    }
    if (i > 0) line.cells.push_back(ratio_cell(cell));
    line.cells.push_back(rank_cell(cell));
  }
  return line;
}

std::vector<std::string> head_lines(const SystemTable& table) {
  std::vector<std::string> lines, counts;
  for (std::size_t i = 0; i < table.names.size(); ++i)
    counts.push_back(fmt::format("{} ({})", table.names[i], text::counted(table.runs[i], "run")));
  lines.push_back("systems: " + text::join(counts, ", "));
  lines.push_back(
      fmt::format("ratios are to {}, with 95 % intervals; rank: 1 + the number of significantly "
                  "better systems; = marks a shared rank",
                  table.names[0]));
  lines.insert(lines.end(), table.notes.begin(), table.notes.end());
  return lines;
}

/// One line per outcome and reason; names the first case and counts the others.
std::vector<std::string> unmatched_lines(const SystemTable& table) {
  std::vector<std::string> fates, lines;
  std::map<std::string, std::vector<std::string>> keys;
  for (const UnmatchedCase& one : table.unmatched) {
    const std::string where =
        one.systems.empty() ? "on no system" : "on " + text::join(one.systems, ", ") + " only";
    const std::string fate = one.reason.empty() ? where : fmt::format("{}; {}", where, one.reason);
    if (!keys.contains(fate)) fates.push_back(fate);
    keys[fate].push_back(one.key);
  }
  for (const std::string& fate : fates) {
    const std::vector<std::string>& own = keys[fate];
    const std::string more = own.size() == 1 ? "" : fmt::format(" and {} more", own.size() - 1);
    lines.push_back(fmt::format("{}{}: {}", own.front(), more, fate));
  }
  return lines;
}

void print_text(const SystemTable& table, std::ostream& out, std::size_t width) {
  for (const std::string& line : head_lines(table)) fmt::print(out, "{}\n", line);
  for (const Group& group : groups_of(table)) {
    std::vector<text::TextRow> rows;
    for (const SystemRow* row : group.rows) rows.push_back(text_row(table, group, *row));
    fmt::print(out, "\n");
    text::print_text_table(group.columns, rows, width, out);
  }
  if (!table.unmatched.empty()) fmt::print(out, "\non fewer than two systems:\n");
  for (const std::string& line : unmatched_lines(table)) fmt::print(out, "  {}\n", line);
}

void print_markdown(const SystemTable& table, std::ostream& out) {
  for (const std::string& line : head_lines(table))
    fmt::print(out, "{}  \n", text::markdown_text(line));
  for (const Group& group : groups_of(table)) {
    std::string header = "\n|", rule = "|";
    for (const text::TextColumn& column : group.columns) {
      header += fmt::format(" {} |", text::markdown_text(column.header));
      rule += column.number ? " ---: |" : " --- |";
    }
    fmt::print(out, "{}\n{}\n", header, rule);
    for (const SystemRow* row : group.rows) {
      std::string line = "|";
      for (const std::string& cell : text_row(table, group, *row).cells)
        line += fmt::format(" {} |", text::markdown_text(cell));
      fmt::print(out, "{}\n", line);
    }
  }
  if (!table.unmatched.empty()) fmt::print(out, "\n**On fewer than two systems**\n\n");
  for (const std::string& line : unmatched_lines(table))
    fmt::print(out, "- {}\n", text::markdown_text(line));
}

void print_csv(const SystemTable& table, std::ostream& out) {
  fmt::print(out,
             "key,metric,unit,better,system,value,runs,peak_fraction,ratio,low,high,rank,tied\n");
  for (const SystemRow& row : table.rows) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const SystemCell& cell = row.cells[i];
      fmt::print(out, "{},{},{},{},{},{},{},{},{},{},{},{},{}\n", text::csv_cell(row.key),
                 text::csv_cell(row.metric), text::csv_cell(row.unit), to_string(row.better),
                 text::csv_cell(table.names[i]), text::csv_number(cell.value), cell.runs,
                 text::csv_number(cell.peak_fraction), text::csv_number(cell.ratio),
                 text::csv_number(cell.low), text::csv_number(cell.high),
                 cell.rank == 0 ? "" : std::to_string(cell.rank), cell.tied ? "true" : "false");
    }
  }
  for (const UnmatchedCase& one : table.unmatched) {
    for (const std::string& system : one.systems)
      fmt::print(out, "{},,,,{},,,,,,,,\n", text::csv_cell(one.key), text::csv_cell(system));
  }
}

ordered_json cell_json(const std::string& name, const SystemCell& cell) {
  return {{"system", name},
          {"value", text::json_number(cell.value)},
          {"runs", cell.runs},
          {"peak_fraction", text::json_number(cell.peak_fraction)},
          {"ratio", text::json_number(cell.ratio)},
          {"interval",
           ordered_json::array({text::json_number(cell.low), text::json_number(cell.high)})},
          {"rank", cell.rank == 0 ? ordered_json(nullptr) : ordered_json(cell.rank)},
          {"tied", cell.tied}};
}

}  // namespace

std::vector<std::string> system_formats() { return {"text", "md", "json", "csv"}; }

ordered_json to_json(const SystemTable& table) {
  ordered_json systems = ordered_json::array(), rows = ordered_json::array(),
               unmatched = ordered_json::array();
  for (std::size_t i = 0; i < table.names.size(); ++i)
    systems.push_back({{"name", table.names[i]}, {"runs", table.runs[i]}});
  for (const SystemRow& row : table.rows) {
    ordered_json cells = ordered_json::array();
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      cells.push_back(cell_json(table.names[i], row.cells[i]));
    rows.push_back({{"key", row.key},
                    {"metric", row.metric},
                    {"unit", row.unit},
                    {"better", to_string(row.better)},
                    {"cells", std::move(cells)}});
  }
  for (const UnmatchedCase& one : table.unmatched)
    unmatched.push_back({{"key", one.key}, {"systems", one.systems}, {"reason", one.reason}});
  return {{"format", "scalemark-systems"},     {"version", 1},
          {"systems", std::move(systems)},     {"rows", std::move(rows)},
          {"unmatched", std::move(unmatched)}, {"notes", table.notes}};
}

void print_systems(const SystemTable& table, std::string_view format, std::ostream& out,
                   std::size_t width) {
  if (format == "text") {
    std::ostringstream text;
    print_text(table, text, width);
    out << text::wrapped(text.view(), width);
  } else if (format == "md") {
    print_markdown(table, out);
  } else if (format == "json") {
    out << to_json(table).dump(2) << '\n';
  } else if (format == "csv") {
    print_csv(table, out);
  } else {
    throw UsageError(fmt::format("--format is \"{}\"; with --systems allowed: {}",
                                 text::printable(format, 64), text::join(system_formats(), ", ")));
  }
  out.flush();
}

}  // namespace scalemark::compare
