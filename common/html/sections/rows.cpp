// SPDX-License-Identifier: Apache-2.0
// All rows as tables, and as JSON to copy.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "common/base/units.hpp"
#include "common/html/html.hpp"
#include "common/html/sections/sections.hpp"
#include "common/html/words.hpp"
#include "common/text/cells.hpp"

namespace scalemark::html {
namespace {

constexpr std::size_t kMaxMetrics = 4;

/// The metrics of a group: the primary ones first.
std::vector<std::string> metrics_of(const Group& group) {
  std::vector<std::string> names;
  for (const Row* row : group.rows) {
    for (const Quantity& quantity : row->sample().quantities) {
      if (names.size() == kMaxMetrics) return names;
      if (std::ranges::find(names, quantity.name) == names.end()) names.push_back(quantity.name);
    }
  }
  return names;
}

std::string cell(const Row& row, const std::string& metric) {
  const Quantity* quantity = row.sample().find(metric);
  return quantity == nullptr ? "-" : units::quantity(row.value(metric).value, quantity->unit);
}

TableRow line_of(const Group& group, const Row& row, const std::vector<std::string>& metrics) {
  TableRow line;
  for (const std::string& axis : group.axes)
    line.cells.push_back(axis_text(axis, axis_of(row, axis)));
  const RowValue value = metrics.empty() ? RowValue{} : row.value(metrics.front());
  for (const std::string& metric : metrics) {
    line.cells.push_back(cell(row, metric));
    if (&metric != &metrics.front()) continue;
    const Quantity* quantity = row.sample().find(metric);
    line.cells.push_back(quantity == nullptr ? std::string("-")
                                             : interval_text(value, quantity->unit));
  }
  line.cells.push_back(std::to_string(value.n));
  line.cells.push_back(std::to_string(value.runs));
  return line;
}

std::string group_table(const Group& group) {
  std::vector<TableColumn> columns;
  for (const std::string& axis : group.axes) columns.push_back({axis, axis == "bytes"});
  const std::vector<std::string> metrics = metrics_of(group);
  std::size_t runs = 0;
  for (const Row* row : group.rows) runs = std::max(runs, row->run_numbers.size());
  for (const std::string& metric : metrics) {
    columns.push_back({metric, true});
    if (&metric == &metrics.front()) columns.push_back({std::string(interval_words(runs)), true});
  }
  columns.push_back({"iterations", true});
  columns.push_back({"runs", true});
  std::vector<TableRow> rows;
  for (const Row* row : group.rows) rows.push_back(line_of(group, *row, metrics));
  return fmt::format("<h3>{}</h3>\n", text_of(group.name)) +
         table(group.constants_text(), columns, rows);
}

nlohmann::ordered_json row_json(const Row& row) {
  nlohmann::ordered_json metrics = nlohmann::ordered_json::object();
  for (const Quantity& quantity : row.sample().quantities) {
    if (metrics.size() == kMaxMetrics) break;
    const RowValue value = row.value(quantity.name);
    metrics[quantity.name] = {{"value", text::json_number(value.value)},
                              {"low", text::json_number(value.low)},
                              {"high", text::json_number(value.high)},
                              {"unit", quantity.unit},
                              {"n", value.n},
                              {"runs", value.runs}};
  }
  return {{"key", row.key}, {"metrics", std::move(metrics)}};
}

}  // namespace

std::string all_rows(const std::vector<Group>& groups) {
  std::string html;
  std::size_t left_out = 0;
  for (const Group& group : groups) {
    Group part = group;
    // Limits the rows, since one table may exceed the size limit of the section.
    part.rows.resize(std::min<std::size_t>(part.rows.size(), 3000));
    const std::string text = group_table(part);
    if (html.size() + text.size() > kRowBytes) {
      left_out += group.rows.size();
      continue;
    }
    html += text;
    left_out += group.rows.size() - part.rows.size();
  }
  if (left_out > 0) {
    html += note(
        fmt::format("{} more rows are not on this page; scalemark show prints them.", left_out));
  }
  return html;
}

std::string rows_data(const std::vector<Row>& rows, std::span<const RunExtract> runs) {
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  for (const RunExtract& run : runs) {
    if (files.size() == 100) break;
    files.push_back({{"file", run.label}, {"uuid", run.uuid}, {"created", run.created}});
  }
  nlohmann::ordered_json head = {{"format", "scalemark-report"}, {"version", 1}, {"runs", files}};
  std::string json = head.dump();
  json.pop_back();
  json += ",\"rows\":[";
  std::size_t written = 0;
  for (const Row& row : rows) {
    if (!row.ok()) continue;
    if (json.size() > kDataBytes) break;
    json += written++ == 0 ? "\n" : ",\n";
    json += row_json(row).dump();
  }
  json += "\n]}";
  const auto measured = static_cast<std::size_t>(std::ranges::count_if(rows, &Row::ok));
  return copyable(fmt::format("Rows as JSON ({} of {})", written, measured), json);
}

std::string copyable(std::string_view summary, const std::string& json) {
  // Escaped for a textarea: it ends at its end tag and decodes character references. The JSON
  // contains no control characters, since its texts were cleaned.
  std::string escaped;
  escaped.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      escaped += "\\u003c";
    } else if (c == '>') {
      escaped += "\\u003e";
    } else if (c == '&') {
      escaped += "\\u0026";
    } else {
      escaped += c;
    }
  }
  const std::string field =
      fmt::format("<textarea readonly spellcheck=\"false\" aria-label=\"{}\">{}</textarea>\n",
                  text_of(summary), escaped);
  return fmt::format("<div class=\"copy\">{}</div>\n", folded(summary, field));
}

}  // namespace scalemark::html
