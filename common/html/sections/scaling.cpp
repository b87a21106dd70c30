// SPDX-License-Identifier: Apache-2.0
// Strong and weak scaling over workers, and message times over ranks.
#include "common/analysis/scaling.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "common/base/units.hpp"
#include "common/html/drawing/chart.hpp"
#include "common/html/html.hpp"
#include "common/html/sections/sections.hpp"

namespace scalemark::html {
namespace {

constexpr std::size_t kMaxCurves = 8;

std::string with_interval(const std::string& value, const std::optional<stats::Interval>& interval,
                          double scale) {
  if (!interval) return value;
  return fmt::format("{} [{:.3g}, {:.3g}]", value, scale * interval->low, scale * interval->high);
}

std::string scaling_table(const analysis::ScalingCurve& curve) {
  const bool strong = curve.kind == analysis::ScalingKind::strong;
  std::vector<TableColumn> columns = {{"workers", true}, {"runs", true}, {"total time", true}};
  if (!curve.rate_name.empty()) columns.push_back({curve.rate_name, true});
  for (const char* header : {"speed-up", "efficiency %"}) columns.push_back({header, true});
  if (strong) columns.push_back({"serial fraction", true});
  std::vector<TableRow> rows;
  for (const analysis::ScalingPoint& point : curve.points) {
    TableRow row;
    row.cells = {std::to_string(point.workers), std::to_string(point.runs),
                 units::seconds(point.time)};
    if (!curve.rate_name.empty()) row.cells.push_back(units::quantity(point.rate, curve.rate_unit));
    row.cells.push_back(
        with_interval(fmt::format("{:.3g}", point.speed_up), point.speed_up_interval, 1));
    row.cells.push_back(with_interval(fmt::format("{:.1f}", 100 * point.efficiency),
                                      point.efficiency_interval, 100));
    if (strong) {
      row.cells.push_back(point.serial_fraction
                              ? with_interval(fmt::format("{:.3g}", *point.serial_fraction),
                                              point.serial_fraction_interval, 1)
                              : "-");
    }
    rows.push_back(std::move(row));
  }
  return table(curve.key, columns, rows) +
         note(fmt::format("{} scaling: {}. Speed-up of {}.", to_string(curve.kind), curve.reason,
                          curve.basis));
}

/// Total time over workers; the rate if one is stored and scaling is not strong. The ideal line
/// continues the first point.
Chart measured_chart(const analysis::ScalingCurve& curve) {
  const bool rated = curve.kind != analysis::ScalingKind::strong && !curve.rate_name.empty();
  Chart chart;
  chart.x = {.title = "workers", .kind = ScaleKind::log2, .unit = "1", .whole = true};
  chart.y = {.title = rated ? curve.rate_name : "total time",
             .kind = ScaleKind::log10,
             .unit = rated ? curve.rate_unit : "s"};
  chart.description =
      fmt::format("{} over the number of workers, beside that of perfect scaling.", chart.y.title);
  chart.diagonal = fmt::format("perfect {} scaling", to_string(curve.kind));
  Series measured;
  measured.name = "measured";
  const analysis::ScalingPoint& first = curve.points.front();
  for (const analysis::ScalingPoint& point : curve.points) {
    const auto workers = static_cast<double>(point.workers);
    const double more = workers / static_cast<double>(first.workers);
    const double same_time = curve.kind == analysis::ScalingKind::strong ? first.time / more
                             : curve.kind == analysis::ScalingKind::weak
                                 ? first.time
                                 : first.time * point.work / first.work / more;
    measured.points.push_back({workers, rated ? point.rate : point.time});
    chart.ideal.push_back({workers, rated ? first.rate * more : same_time});
  }
  chart.series = {measured};
  return chart;
}

std::string scaling_charts(const analysis::ScalingCurve& curve) {
  const std::size_t blank = std::min(curve.key.find(' '), curve.key.size());
  Chart measured = measured_chart(curve);
  measured.title = fmt::format("{}: {}", curve.key.substr(0, blank), measured.y.title);
  measured.subtitle = fmt::format("{} scaling; {}", to_string(curve.kind),
                                  curve.key.substr(std::min(blank + 1, curve.key.size())));
  Chart efficiency = measured;
  efficiency.title = fmt::format("{}: efficiency", curve.key.substr(0, blank));
  efficiency.description = "Speed-up by the number of workers; 1 is perfect.";
  efficiency.y = {.title = "efficiency", .unit = "1", .from_zero = true};
  efficiency.diagonal.clear();
  efficiency.ideal.clear();
  efficiency.levels = {{1, "perfect"}};
  Series efficiencies;
  efficiencies.named = false;
  for (const analysis::ScalingPoint& point : curve.points) {
    Point one{static_cast<double>(point.workers), point.efficiency};
    if (point.efficiency_interval) {
      one.low = point.efficiency_interval->low;
      one.high = point.efficiency_interval->high;
    }
    efficiencies.points.push_back(one);
  }
  efficiency.series = {efficiencies};
  const std::string numbers = scaling_table(curve);
  return figure(measured, numbers) + figure(efficiency, numbers);
}

/// The primary metric over the number of ranks: one curve per combination of the other axes, at
/// most kMaxCurves.
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
  const std::size_t every = (curves.size() + kMaxCurves - 1) / kMaxCurves;
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
  std::vector<std::vector<analysis::ScalingCase>> cases;
  for (const RunExtract& run : runs) cases.push_back(run.scaling);
  for (const analysis::ScalingCurve& curve : analysis::scaling_curves(cases)) {
    const std::string charts = scaling_charts(curve);
    if (html.size() + charts.size() < kDrawingBytes) html += charts;
  }
  for (const Group& group : groups) {
    const std::string chart = ranks_chart(group);
    if (html.size() + chart.size() < 2 * kDrawingBytes) html += chart;
  }
  if (html.empty()) return {};
  return fmt::format("<div class=\"grid\">\n{}</div>\n", html);
}

}  // namespace scalemark::html
