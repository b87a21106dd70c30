// SPDX-License-Identifier: Apache-2.0
// How the same work scales over ranks, and what messages cost when more ranks take part.
#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include <fmt/format.h>

#include "common/base/units.hpp"
#include "common/page/chart.hpp"
#include "common/page/html.hpp"
#include "common/page/sections.hpp"
#include "common/report/scaling.hpp"

namespace scalemark::page {
namespace {

constexpr std::size_t kMostCurves = 8;

std::string scaling_table(const report::ScalingCurve& curve) {
  std::vector<TableRow> rows;
  for (const report::ScalingPoint& point : curve.points) {
    rows.push_back(
        {{std::to_string(point.workers), units::seconds(point.time),
          fmt::format("{:.3g}", point.speed_up), fmt::format("{:.1f} %", 100 * point.efficiency)},
         ""});
  }
  return table(curve.key,
               {{"workers", true}, {"total time", true}, {"speed-up", true}, {"efficiency", true}},
               rows);
}

std::string scaling_charts(const report::ScalingCurve& curve) {
  const std::size_t blank = std::min(curve.key.find(' '), curve.key.size());
  Chart time;
  time.title = fmt::format("{}: total time", curve.key.substr(0, blank));
  time.subtitle = curve.key.substr(std::min(blank + 1, curve.key.size()));
  time.description = "Total time over the number of workers, beside that of perfect scaling.";
  time.x = {.title = "workers", .kind = ScaleKind::log2, .unit = "1", .whole = true};
  time.y = {.title = "total time", .kind = ScaleKind::log10, .unit = "s"};
  time.diagonal = "perfect scaling";
  Chart efficiency = time;
  efficiency.title = fmt::format("{}: efficiency", curve.key.substr(0, blank));
  efficiency.description = "Speed-up by the number of workers; 1 is perfect.";
  efficiency.y = {.title = "efficiency", .unit = "1", .from_zero = true};
  efficiency.diagonal.clear();
  efficiency.levels = {{1, "perfect"}};
  Series times, efficiencies;
  times.name = "measured";
  const report::ScalingPoint& first = curve.points.front();
  const double work = first.time * static_cast<double>(first.workers);
  for (const report::ScalingPoint& point : curve.points) {
    const auto workers = static_cast<double>(point.workers);
    times.points.push_back({workers, point.time});
    efficiencies.points.push_back({workers, point.efficiency});
    time.ideal.push_back({workers, work / workers});
  }
  efficiencies.named = false;
  time.series = {times};
  efficiency.series = {efficiencies};
  const std::string numbers = scaling_table(curve);
  return figure(time, numbers) + figure(efficiency, numbers);
}

/// Rows of one benchmark that differ in their ranks only, for its most telling sizes.
std::string ranks_chart(const Group& group) {
  std::map<std::string, std::map<double, const Row*>, ByNumbers> curves;
  for (const Row* row : group.rows) {
    const std::string text = axis_of(*row, "ranks");
    double ranks = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ranks);
    if (error != std::errc() || !(ranks > 0) || row->sample().training) continue;
    curves[group.label(*row, "ranks")].emplace(ranks, row);
  }
  std::erase_if(curves, [](const auto& curve) { return curve.second.size() < 2; });
  if (curves.empty()) return {};
  const std::vector<Quantity>& quantities =
      curves.begin()->second.begin()->second->sample().quantities;
  if (quantities.empty() || quantities.front().kind != MetricKind::duration) return {};
  const Quantity& primary = quantities.front();
  Chart chart;
  chart.title = fmt::format("{}: {} over ranks", group.name, primary.name);
  chart.subtitle = group.constants_text();
  chart.description = "Time over the number of ranks that take part.";
  chart.x = {.title = "ranks", .kind = ScaleKind::log2, .unit = "1", .whole = true};
  chart.y = {.title = primary.name, .kind = ScaleKind::log10, .unit = primary.unit};
  const std::size_t every = (curves.size() + kMostCurves - 1) / kMostCurves;
  std::size_t number = 0;
  for (const auto& [name, rows] : curves) {
    if (number++ % every != 0) continue;
    Series series;
    series.name = name.empty() ? primary.name : name;
    series.style = chart.series.size();
    for (const auto& [ranks, row] : rows) {
      const RowValue value = row->value(primary.name);
      series.points.push_back({ranks, value.value, value.low, value.high});
    }
    chart.series.push_back(std::move(series));
  }
  return figure(chart);
}

}  // namespace

std::string scaling(std::span<const RunExtract> runs, const std::vector<Group>& groups) {
  std::string html;
  std::set<std::string> seen;
  for (const RunExtract& run : runs) {
    for (const report::ScalingCurve& curve : report::scaling_curves(run.scaling)) {
      // Of several runs the first that has the curve; the table of rows has all.
      if (!seen.insert(curve.key).second) continue;
      const std::string charts = scaling_charts(curve);
      if (html.size() + charts.size() < kDrawingBytes) html += charts;
    }
  }
  for (const Group& group : groups) {
    const std::string chart = ranks_chart(group);
    if (html.size() + chart.size() < 2 * kDrawingBytes) html += chart;
  }
  if (html.empty()) return {};
  return fmt::format("<div class=\"grid\">\n{}</div>\n", html);
}

}  // namespace scalemark::page
