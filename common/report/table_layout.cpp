// SPDX-License-Identifier: Apache-2.0
// Columns from keys and metrics.
#include "common/report/table_layout.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/base/units.hpp"
#include "common/result/summarise.hpp"

namespace scalemark::report {
namespace {

constexpr std::size_t kLeastWidth = 10;
constexpr std::size_t kIntervalWidth = 22;
constexpr std::size_t kMostMetrics = 4;
constexpr std::string_view kPeakFraction = "peak_fraction";

/// Metrics about the measuring itself; csv and json carry them.
bool is_bookkeeping(const std::string& metric) {
  return metric == "first_call" || metric == "timer_cost" || metric == "lateness" ||
         metric == "local_time" || metric == "elapsed_time";
}

/// The values of each axis over the keys of one benchmark.
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
    // Keys without the axis are at its implied value, which only their rows will show.
    AxisColumn column{axis, std::max(axis.size(), values.size() < rows ? kImpliedWidth : 0), true};
    for (const std::string& value : distinct) {
      column.width = std::max(column.width, value.size());
      column.numeric = column.numeric && is_number(value);
    }
    group.axes.push_back(column);
  }
  return group;
}

/// The value of an axis as it stands in a key.
std::string cell_of(const Params& params, const std::string& axis) {
  const auto found = params.find(axis);
  if (found == params.end()) return {};
  const std::string pair = text::printable(make_key("", {*found}));
  return pair.substr(std::min(pair.find('='), pair.size() - 1) + 1);
}

MetricColumn metric_column(const CaseResult& result, const Metric& metric) {
  MetricColumn column;
  column.metric = metric.name;
  column.unit = display_unit(metric.unit, median_of(result, metric));
  column.header = text::printable(metric.name, 64);
  if (metric.name == kPeakFraction) {
    column.header = "% peak";
    column.unit = {"", 0.01};  // a ratio is stored
  }
  if (!column.unit.symbol.empty()) column.header += fmt::format(" [{}]", column.unit.symbol);
  column.width = std::max(column.header.size(), kLeastWidth);
  return column;
}

/// The primary metric first, then the part of the peak, which is narrow, and the others without
/// bookkeeping.
std::vector<const Metric*> shown_metrics(const CaseResult& result) {
  std::vector<const Metric*> metrics;
  if (const Metric* primary = result.find(result.primary_metric)) metrics.push_back(primary);
  for (const bool peak : {true, false}) {
    for (const Metric& metric : result.metrics) {
      if (metric.name == result.primary_metric || is_bookkeeping(metric.name)) continue;
      if ((metric.name == kPeakFraction) == peak) metrics.push_back(&metric);
    }
  }
  return metrics;
}

}  // namespace

DisplayUnit display_unit(std::string_view unit, double typical) {
  const double size = std::abs(typical);
  // Microseconds up to 10 ms, so that a sweep over sizes stays in one unit.
  if (unit == "s") {
    return size >= 10     ? DisplayUnit{"s", 1}
           : size >= 0.01 ? DisplayUnit{"ms", 1e-3}
                          : DisplayUnit{"us", 1e-6};
  }
  if (unit == "By/s") return {"GB/s", 1e9};
  if (unit == "flop/s") return {"GFLOP/s", 1e9};
  if (unit == "By") return size >= 1048576 ? DisplayUnit{"MiB", 1048576} : DisplayUnit{"B", 1};
  if (unit == "1") return {"", 1};
  std::string symbol = text::printable(unit, 32);
  std::erase_if(symbol, [](char c) { return c == '{' || c == '}'; });
  return {symbol, 1};
}

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
        {name, std::max(name.size(), kLeastWidth), !std::holds_alternative<std::string>(value)});
  }
  return group;
}

bool GroupLayout::suits(const CaseResult& result) const {
  return std::all_of(constants.begin(), constants.end(), [&](const auto& constant) {
    return cell_of(result.params, constant.first) == constant.second;
  });
}

std::vector<MetricColumn> metric_columns(const CaseResult& result, std::size_t width,
                                         std::size_t& left_out) {
  std::vector<MetricColumn> columns;
  const std::vector<const Metric*> metrics = shown_metrics(result);
  std::size_t used = 0;
  for (const Metric* metric : metrics) {
    MetricColumn column = metric_column(result, *metric);
    column.interval = columns.empty();
    used += column.width + 2 + (column.interval ? kIntervalWidth + 2 : 0);
    const bool fits = width == 0 || used <= width;
    if (columns.size() == kMostMetrics || (!columns.empty() && !fits)) break;
    columns.push_back(column);
  }
  left_out = metrics.size() - columns.size();
  return columns;
}

std::string metric_cell(double value, const DisplayUnit& unit, std::optional<int> decimals) {
  const double scaled = value / unit.factor;
  if (std::isnan(scaled)) return "-";
  return decimals ? fmt::format("{:.{}f}", scaled, *decimals) : units::significant(scaled);
}

}  // namespace scalemark::report
