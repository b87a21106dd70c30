// SPDX-License-Identifier: Apache-2.0
// Curves of times and bandwidths over message size.
#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "common/analysis/message_costs.hpp"
#include "common/html/drawing/chart.hpp"
#include "common/html/drawing/svg.hpp"
#include "common/html/html.hpp"
#include "common/html/sections/sections.hpp"

namespace scalemark::html {
namespace {

std::optional<double> bytes_of(const Row& row) {
  const std::string text = axis_of(row, "bytes");
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value > 0)) return std::nullopt;
  return value;
}

/// Rows by size; the outer key is everything else in their key.
using Curves = std::map<std::string, std::map<double, const Row*>, ByNumbers>;

Curves curves_of(const Group& group) {
  Curves curves;
  for (const Row* row : group.rows) {
    if (const std::optional<double> bytes = bytes_of(*row))
      curves[group.label(*row, "bytes")].emplace(*bytes, row);
  }
  std::erase_if(curves, [](const auto& curve) { return curve.second.size() < 2; });
  return curves;
}

/// The name of a row's duration; empty if it has none.
std::string duration_of(const Row& row) {
  const std::vector<Quantity>& all = row.sample().quantities;
  if (all.empty()) return {};
  if (all.front().kind == MetricKind::duration) return all.front().name;
  const auto found = std::ranges::find(all, MetricKind::duration, &Quantity::kind);
  return found == all.end() ? std::string() : found->name;
}

std::string rate_of(const Row& row) {
  for (const char* name : {"bus_bandwidth", "bandwidth"}) {
    if (row.sample().find(name) != nullptr) return name;
  }
  return {};
}

Series series_of(const std::string& name, const std::map<double, const Row*>& rows,
                 const std::string& metric, std::size_t style) {
  Series series;
  // A single curve needs no name: the title tells what it is.
  series.named = !name.empty();
  series.name = name.empty() ? metric : name;
  series.style = style;
  for (const auto& [bytes, row] : rows) {
    const RowValue value = row->value(metric);
    series.points.push_back({bytes, value.value, value.low, value.high});
  }
  return series;
}

/// Distinct peaks of the rows.
std::vector<Level> peaks_of(const Curves& curves, const std::string& metric) {
  std::set<double> values;
  for (const auto& [name, rows] : curves) {
    for (const auto& [bytes, row] : rows) {
      const Quantity* quantity = row->sample().find(metric);
      if (quantity != nullptr && quantity->peak) values.insert(*quantity->peak);
    }
  }
  std::vector<Level> levels;
  for (const double value : values) levels.push_back({value, "peak"});
  if (levels.size() > 3) levels.clear();
  return levels;
}

struct Wanted {
  std::string metric, unit;
  bool rate = false;
};

/// Rows of earlier runs by key.
using Base = std::unordered_map<std::string, const Row*>;

/// The same curve for the earlier runs: thin, without markers.
Series base_series(const std::map<double, const Row*>& rows, const Base& base,
                   const std::string& metric, std::size_t style) {
  Series series;
  series.name = "base";
  series.style = style;
  series.markers = series.named = series.in_table = false;
  series.thin = true;
  for (const auto& [bytes, row] : rows) {
    const auto found = base.find(row->key);
    if (found == base.end() || !found->second->ok()) continue;
    series.points.push_back({bytes, found->second->value(metric).value});
  }
  return series;
}

std::string chart_of(const Group& group, const Curves& curves, const Base& base,
                     const Wanted& wanted, const std::string& part) {
  Chart chart;
  chart.title = fmt::format("{}: {}{}", group.name, wanted.metric, part);
  chart.subtitle = group.constants_text();
  chart.description =
      fmt::format("{} over the message size, {} curves; the numbers are in the table below.",
                  wanted.metric, curves.size());
  chart.x = {.title = "message size", .kind = ScaleKind::log2, .unit = "By"};
  chart.y = {.title = wanted.metric,
             .kind = wanted.rate ? ScaleKind::linear : ScaleKind::log10,
             .unit = wanted.unit,
             .from_zero = wanted.rate};
  std::size_t style = 0;
  for (const auto& [name, rows] : curves) {
    chart.series.push_back(base_series(rows, base, wanted.metric, style));
    chart.series.push_back(series_of(name, rows, wanted.metric, style++));
  }
  if (wanted.rate) chart.levels = peaks_of(curves, wanted.metric);
  return figure(chart);
}

std::string charts_of(const Group& group, const Base& base) {
  const Curves curves = curves_of(group);
  if (curves.empty()) return {};
  const Row& first = *curves.begin()->second.begin()->second;
  std::string html;
  std::size_t number = 0;
  const std::size_t parts = (curves.size() + kSeriesStyles - 1) / kSeriesStyles;
  for (auto curve = curves.begin(); curve != curves.end();) {
    Curves some;
    while (curve != curves.end() && some.size() < kSeriesStyles) some.insert(*curve++);
    ++number;
    const std::string part = parts > 1 ? fmt::format(" ({} of {})", number, parts) : "";
    for (const std::string& metric : {duration_of(first), rate_of(first)}) {
      const Quantity* quantity = first.sample().find(metric);
      if (quantity == nullptr) continue;
      html += chart_of(group, some, base,
                       {metric, quantity->unit, quantity->kind != MetricKind::duration}, part);
    }
  }
  return html;
}

/// Startup cost and bandwidth fitted to a curve. A file without times may have bandwidths instead.
std::optional<analysis::MessageCost> cost_of(const std::map<double, const Row*>& rows) {
  std::vector<double> sizes, seconds;
  for (const auto& [bytes, row] : rows) {
    const std::string time = duration_of(*row);
    const Quantity* quantity = row->sample().find(time.empty() ? "bandwidth" : time);
    if (quantity == nullptr || quantity->unit != (time.empty() ? "By/s" : "s")) continue;
    const double value = row->value(quantity->name).value;
    sizes.push_back(bytes);
    seconds.push_back(time.empty() ? bytes / value : value);
  }
  return analysis::message_cost(sizes, seconds);
}

/// One line per curve, up to the size limit of the section.
std::string costs_table(const std::vector<Group>& groups) {
  std::vector<TableRow> lines;
  std::size_t length = 0;
  for (const Group& group : groups) {
    for (const auto& [name, rows] : curves_of(group)) {
      const std::optional<analysis::MessageCost> cost = cost_of(rows);
      if (!cost || length > kDrawingBytes / 2) continue;
      const std::string sweep = fmt::format("{} {} {}", group.name, group.constants_text(), name);
      lines.push_back({{sweep, analysis::message_cost_text(*cost)}, ""});
      length += 60 + sweep.size() + lines.back().cells[1].size();
    }
  }
  if (lines.empty()) return {};
  return table("time = latency + bytes / bandwidth", {{"sweep"}, {"message cost"}}, lines);
}

}  // namespace

std::string size_curves(const std::vector<Group>& groups, const std::vector<Row>& base) {
  Base by_key;
  for (const Row& row : base) by_key.emplace(row.key, &row);
  std::string html;
  std::size_t left_out = 0;
  for (const Group& group : groups) {
    const std::string charts = charts_of(group, by_key);
    if (html.size() + charts.size() > kCurveBytes) {
      ++left_out;
      continue;
    }
    html += charts;
  }
  if (html.empty()) return {};
  std::string note_text =
      "Hover over a point for its value. Ribbon: for one run, the 95 % interval of its median; for "
      "several runs, the range of their medians. The line is their geometric "
      "mean.";
  if (!base.empty()) note_text += " Thin lines without markers: A.";
  if (left_out > 0)
    note_text += fmt::format(" {} more benchmarks: their curves are not shown.", left_out);
  return fmt::format("{}{}<div class=\"grid\">\n{}</div>\n", note(note_text), costs_table(groups),
                     html);
}

}  // namespace scalemark::html
