// SPDX-License-Identifier: Apache-2.0
// Chooses the columns of a table: axes from keys, metrics by the available width.
#include "common/print/table_layout.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/base/units.hpp"
#include "common/result/summarise.hpp"
#include "common/text/display_unit.hpp"

namespace scalemark::print {
namespace {

constexpr std::size_t kMinWidth = 10, kMinNarrowWidth = 8;
constexpr std::size_t kCountWidth = 7, kNarrowCountWidth = 6;
constexpr std::size_t kMaxMetrics = 4;
constexpr std::string_view kPeakFraction = "peak_fraction";
constexpr std::string_view kBandwidth = "bandwidth";

/// Per axis, its values in the keys of one benchmark.
using AxisValues = std::map<std::string, std::vector<std::string>>;

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789.-+e") == std::string::npos;
}

constexpr std::size_t kImpliedWidth = 8;

GroupLayout layout(const std::string& name, const AxisValues& axes, std::size_t rows) {
  GroupLayout group;
  group.title = name;
  for (const auto& [axis, values] : axes) {
    const std::set<std::string> distinct(values.begin(), values.end());
    if (distinct.size() == 1 && values.size() == rows) {
      group.constants[axis] = values.front();
      group.title += fmt::format(" {}={}", axis, values.front());
      continue;
    }
    // Keys without the axis stand for its implied value, which is known only when the row is
    // printed.
    AxisColumn column{axis, std::max(axis.size(), values.size() < rows ? kImpliedWidth : 0), true};
    for (const std::string& value : distinct) {
      column.width = std::max(column.width, value.size());
      column.numeric = column.numeric && is_number(value);
    }
    group.axes.push_back(column);
  }
  return group;
}

/// The value of an axis, escaped as in a key.
std::string cell_of(const Point& point, const std::string& axis) {
  const Value* found = point.find(axis);
  if (found == nullptr) return {};
  const std::string pair = text::printable(make_key("", {{axis, *found}}));
  return pair.substr(std::min(pair.find('='), pair.size() - 1) + 1);
}

MetricColumn metric_column(const ShownMetric& metric, bool narrow) {
  MetricColumn column;
  column.metric = metric.name;
  column.unit = text::display_unit(metric.unit, metric.typical);
  column.header = text::printable(metric.name, 64);
  if (metric.name == kPeakFraction) {
    column.header = "% peak";
    column.unit = {"", 0.01};  // stored as a ratio, shown in percent
  }
  if (!column.unit.symbol.empty()) column.header += fmt::format(" [{}]", column.unit.symbol);
  column.width = std::max(column.header.size(), narrow ? kMinNarrowWidth : kMinWidth);
  return column;
}

/// Positions of the metrics by priority for space: primary metric, then bandwidth (else the first
/// one that is not `peak_fraction`), then the others in order.
std::vector<std::size_t> by_priority(const std::vector<ShownMetric>& metrics) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < metrics.size(); ++i) places.push_back(i);
  std::size_t wanted = metrics.size();
  for (std::size_t i = 1; i < metrics.size(); ++i) {
    const bool first_other = wanted == metrics.size() && metrics[i].name != kPeakFraction;
    if (first_other || metrics[i].name == kBandwidth) wanted = i;
    if (metrics[i].name == kBandwidth) break;
  }
  if (wanted < metrics.size())
    std::rotate(places.begin() + 1, places.begin() + static_cast<std::ptrdiff_t>(wanted),
                places.begin() + static_cast<std::ptrdiff_t>(wanted) + 1);
  return places;
}

MetricLayout laid_out(const std::vector<ShownMetric>& metrics, std::size_t width, bool narrow,
                      std::size_t spread) {
  MetricLayout layout;
  layout.narrow = narrow;
  layout.count_width = narrow ? kNarrowCountWidth : kCountWidth;
  layout.used = 2 + layout.count_width + (spread > 0 ? 2 + spread : 0);
  std::vector<std::size_t> chosen;
  for (const std::size_t place : by_priority(metrics)) {
    const std::size_t more = 2 + metric_column(metrics[place], narrow).width;
    const bool fits = width == 0 || layout.used + more <= width;
    if (chosen.size() == kMaxMetrics || (!chosen.empty() && !fits)) break;
    layout.used += more;
    chosen.push_back(place);
  }
  std::sort(chosen.begin(), chosen.end());
  for (const std::size_t place : chosen)
    layout.columns.push_back(metric_column(metrics[place], narrow));
  layout.left_out = metrics.size() - chosen.size();
  return layout;
}

}  // namespace

std::map<std::string, GroupLayout> layouts_of(const std::vector<std::string>& keys) {
  std::map<std::string, AxisValues> axes;
  std::map<std::string, std::size_t> rows;
  for (const std::string& key : keys) {
    const std::vector<std::string> parts = text::split(text::printable(key), ' ');
    if (parts.empty()) continue;
    ++rows[parts.front()];
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const std::size_t equals = std::min(parts[i].find('='), parts[i].size() - 1);
      axes[parts.front()][parts[i].substr(0, equals)].push_back(parts[i].substr(equals + 1));
    }
  }
  std::map<std::string, GroupLayout> groups;
  for (const auto& [name, count] : rows) groups[name] = layout(name, axes[name], count);
  return groups;
}

GroupLayout layout_of(const CaseResult& result) {
  GroupLayout group;
  group.title = text::printable(result.name);
  for (const auto& [axis, value] : result.params) {
    const std::string name = text::printable(axis);
    group.axes.push_back(
        {name, std::max(name.size(), kMinWidth), !std::holds_alternative<std::string>(value)});
  }
  return group;
}

bool GroupLayout::suits(const CaseResult& result) const {
  return std::all_of(constants.begin(), constants.end(), [&](const auto& constant) {
    return cell_of(result.params, constant.first) == constant.second;
  });
}

bool is_bookkeeping(std::string_view metric) {
  return metric == "first_call" || metric == "timer_cost" || metric == "lateness" ||
         metric == "local_time" || metric == "elapsed_time";
}

std::vector<ShownMetric> shown_metrics(const CaseResult& result) {
  std::vector<ShownMetric> metrics;
  const auto show = [&](const Metric& metric) {
    metrics.push_back({metric.name, metric.unit, median_of(result, metric)});
  };
  if (const Metric* primary = result.find(result.primary_metric)) show(*primary);
  for (const bool peak : {true, false}) {
    for (const Metric& metric : result.metrics) {
      if (metric.name == result.primary_metric || is_bookkeeping(metric.name)) continue;
      if ((metric.name == kPeakFraction) == peak) show(metric);
    }
  }
  return metrics;
}

MetricLayout metric_layout(const std::vector<ShownMetric>& metrics, std::size_t width,
                           const SpreadWidths& spread) {
  const MetricLayout wide = laid_out(metrics, width, false, spread.wide);
  const bool enough = wide.columns.size() >= std::min<std::size_t>(2, metrics.size());
  if (width == 0 || (enough && wide.used <= width)) return wide;
  const MetricLayout narrow = laid_out(metrics, width, true, spread.narrow);
  const bool gains = narrow.columns.size() > wide.columns.size() || wide.used > width;
  return gains ? narrow : wide;
}

}  // namespace scalemark::print
