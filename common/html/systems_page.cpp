// SPDX-License-Identifier: Apache-2.0
// The page about several systems: machines side by side, then every case with one bar per system.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "common/base/text.hpp"
#include "common/base/units.hpp"
#include "common/compare/print/systems.hpp"
#include "common/html/drawing/bars.hpp"
#include "common/html/headlines.hpp"
#include "common/html/html.hpp"
#include "common/html/machine.hpp"
#include "common/html/page.hpp"
#include "common/html/sections/sections.hpp"
#include "common/html/verdict.hpp"
#include "common/html/words.hpp"
#include "common/text/cells.hpp"

namespace scalemark::html {
namespace {

constexpr std::size_t kMaxUnmatched = 500;

/// "1.25 [1.21, 1.29]".
std::string ratio_text(const compare::SystemCell& cell) {
  if (!std::isfinite(cell.ratio)) return "-";
  const std::string ratio = units::significant(cell.ratio, 3);
  if (!std::isfinite(cell.low)) return ratio;
  return fmt::format("{} [{}, {}]", ratio, units::significant(cell.low, 3),
                     units::significant(cell.high, 3));
}

std::string rank_text(const compare::SystemCell& cell) {
  if (cell.rank == 0) return "-";
  return fmt::format("{}{}", cell.rank, cell.tied ? "=" : "");
}

/// "rank 1, 24.1 GB/s (x 1.25)".
std::string system_bar_text(const compare::SystemRow& row, std::size_t i) {
  const compare::SystemCell& cell = row.cells[i];
  if (!std::isfinite(cell.value)) return "not measured";
  std::string text = units::quantity(cell.value, row.unit);
  if (i > 0 && std::isfinite(cell.ratio))
    text += fmt::format(" (x {})", units::significant(cell.ratio, 3));
  return text;
}

BarGroup bars_of(const compare::SystemTable& table, const compare::SystemRow& row) {
  const std::string key = key_text(row.key);
  const std::size_t blank = std::min(key.find(' '), key.size());
  BarGroup group{key.substr(std::min(blank + 1, key.size())), row.metric, {}};
  if (group.title.empty()) group.title = key;
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    const compare::SystemCell& cell = row.cells[i];
    std::string hover =
        fmt::format("{} on {}: {}, {}", key, table.names[i], system_bar_text(row, i),
                    text::counted(static_cast<std::size_t>(cell.runs), "run"));
    if (i > 0 && std::isfinite(cell.low))
      hover += fmt::format("; ratio to {}: {} (95 % interval)", table.names[0], ratio_text(cell));
    group.bars.push_back({table.names[i] + (cell.rank == 1 && !cell.tied ? " (best)" : ""),
                          cell.value, system_bar_text(row, i), std::move(hover), i});
  }
  return group;
}

/// Rows of one benchmark and metric, in order of appearance.
using RowsOfBenchmark = std::pair<std::string, std::vector<const compare::SystemRow*>>;

std::vector<RowsOfBenchmark> by_benchmark(const compare::SystemTable& table) {
  std::vector<RowsOfBenchmark> groups;
  std::map<std::string, std::size_t> places;
  for (const compare::SystemRow& row : table.rows) {
    const std::string name =
        fmt::format("{}: {}", row.key.substr(0, row.key.find(' ')), row.metric);
    const auto [place, fresh] = places.emplace(name, groups.size());
    if (fresh) groups.push_back({name, {}});
    groups[place->second].second.push_back(&row);
  }
  return groups;
}

std::string system_bars(const compare::SystemTable& table) {
  std::string html;
  std::size_t left_out = 0;
  for (const auto& [name, rows] : by_benchmark(table)) {
    std::vector<BarGroup> groups;
    for (const compare::SystemRow* row : rows) groups.push_back(bars_of(table, *row));
    const Better better = rows.front()->better;
    const std::string figure =
        bar_figure(name,
                   fmt::format("{}; each case has its own scale",
                               better == Better::higher  ? "longer is better"
                               : better == Better::lower ? "shorter is better"
                                                         : "neither direction is better"),
                   groups);
    if (html.size() + figure.size() > kCurveBytes) {
      ++left_out;
      continue;
    }
    html += figure;
  }
  if (left_out > 0)
    html += note(
        fmt::format("{} are not drawn; the table has them.", text::counted(left_out, "benchmark")));
  return html;
}

std::string systems_rows(const compare::SystemTable& table) {
  std::vector<TableColumn> columns = {{"case"}, {"metric"}, {"better"}};
  for (std::size_t i = 0; i < table.names.size(); ++i) {
    columns.push_back({table.names[i], true});
    if (table.has_peaks) columns.push_back({"% of its peak", true});
    if (i > 0) columns.push_back({"/ " + table.names[0], true});
    columns.push_back({"rank", true});
  }
  std::vector<TableRow> rows;
  std::size_t bytes = 0;
  for (const compare::SystemRow& row : table.rows) {
    TableRow line{{key_text(row.key), row.metric, std::string(to_string(row.better))}, ""};
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const compare::SystemCell& cell = row.cells[i];
      line.cells.push_back(units::quantity(cell.value, row.unit));
      if (table.has_peaks)
        line.cells.push_back(std::isfinite(cell.peak_fraction)
                                 ? fmt::format("{:.1f}", 100 * cell.peak_fraction)
                                 : "-");
      if (i > 0) line.cells.push_back(ratio_text(cell));
      line.cells.push_back(rank_text(cell));
    }
    for (const std::string& cell : line.cells) bytes += cell.size() + 20;
    if (bytes > kRowBytes) break;
    rows.push_back(std::move(line));
  }
  if (rows.empty()) return {};
  std::string html =
      html::table(fmt::format("Ratios are to {}, with 95 % intervals. Rank: 1 + the number of "
                              "significantly better systems; = marks a shared rank.",
                              table.names[0]),
                  columns, rows, "systems");
  if (rows.size() < table.rows.size())
    html += note(fmt::format("{} more rows are not on this page; --format csv has them.",
                             table.rows.size() - rows.size()));
  return html;
}

std::string unmatched_rows(const compare::SystemTable& table) {
  std::vector<TableRow> rows;
  for (const compare::UnmatchedCase& one : table.unmatched) {
    if (rows.size() == kMaxUnmatched) break;
    rows.push_back({{key_text(one.key),
                     one.systems.empty() ? "none" : text::join(one.systems, ", "), one.reason},
                    ""});
  }
  if (rows.empty()) return {};
  return html::table(fmt::format("Cases that fewer than two systems have ({} of {})", rows.size(),
                                 table.unmatched.size()),
                     {{"case"}, {"measured on"}, {"reason elsewhere"}}, rows);
}

std::string systems_data(const compare::SystemTable& table) {
  nlohmann::ordered_json json = compare::to_json(table);
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  std::swap(rows, json["rows"]);
  json["unmatched"] = nlohmann::ordered_json::array();
  std::size_t bytes = 0;
  for (nlohmann::ordered_json& row : rows) {
    bytes += row.dump().size();
    if (bytes > kDataBytes) break;
    json["rows"].push_back(std::move(row));
  }
  return copyable(fmt::format("Systems as JSON ({} of {} rows)", json["rows"].size(), rows.size()),
                  json.dump(1));
}

}  // namespace

std::string systems_page(const compare::SystemTable& table,
                         const std::vector<SystemExtracts>& runs) {
  std::vector<std::vector<Row>> rows;
  std::vector<Side> sides;
  for (const SystemExtracts& one : runs) {
    rows.push_back(join_rows(one.runs));
    sides.push_back({one.name, one.runs});
  }
  std::vector<Beside> others;
  for (std::size_t i = 1; i < runs.size(); ++i) others.push_back({runs[i].name, &rows[i]});
  std::string header = "<h1>Systems side by side</h1>\n";
  header += band("", text::join(table.names, ", "), verdict_sentence(table));
  for (const std::string& one : table.notes) header += note(one);
  const std::string tiles =
      rows.empty() ? std::string()
                   : headline_tiles(headlines(rows.front()), table.names.front(), others);
  header += fmt::format("<div class=\"first\">\n{}{}</div>\n", tiles, machine_card(sides));
  const std::vector<std::pair<const char*, std::pair<const char*, std::string>>> all = {
      {"bars", {"Case by case", system_bars(table)}},
      {"all", {"All rows", systems_rows(table)}},
      {"unmatched", {"On fewer than two systems", unmatched_rows(table)}},
      {"data", {"Data to copy", systems_data(table)}}};
  std::vector<Section> sections;
  for (const auto& [id, section] : all) {
    if (!section.second.empty()) sections.push_back({id, section.first, section.second});
  }
  return document("Scalemark systems", header, sections, page_footer());
}

}  // namespace scalemark::html
