// SPDX-License-Identifier: Apache-2.0
// Groups cases into scaling curves; computes speed-up, efficiency and serial fraction.
#include "common/analysis/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/stats/scaling.hpp"

namespace scalemark::analysis {
namespace {

/// Tolerance for "the same work", as batches that do not divide the data set change the total
/// slightly.
constexpr double kSameWork = 0.05;

/// The cases of one point, one per run.
using Repeats = std::vector<const ScalingCase*>;
/// Key: number of workers.
using ByWorkers = std::map<std::int64_t, Repeats>;

double geometric_mean(const Repeats& cases, double ScalingCase::*value) {
  if (cases.size() == 1) return cases.front()->*value;
  double sum = 0;
  for (const ScalingCase* one : cases) sum += std::log(one->*value);
  return std::exp(sum / static_cast<double>(cases.size()));
}

bool is_near(double ratio) { return std::abs(ratio - 1) <= kSameWork; }

/// Sets strong, weak or mixed from the work of all points.
void decide_kind(const ByWorkers& group, ScalingCurve& curve) {
  const std::string& rule = group.begin()->second.front()->work_rule;
  const bool work_known = std::ranges::all_of(group, [&](const auto& entry) {
    return std::ranges::all_of(entry.second, [&](const ScalingCase* one) {
      return one->work > 0 && one->work_rule == rule;
    });
  });
  if (!work_known) {
    curve.reason = "the results do not store the amount of work; assumed equal for all cases";
    return;
  }
  const ScalingPoint& first = curve.points.front();
  const ScalingPoint& last = curve.points.back();
  const auto all = [&](auto expected) {
    return std::ranges::all_of(curve.points, [&](const ScalingPoint& point) {
      return is_near(point.work / first.work / expected(point));
    });
  };
  const bool same = all([](const ScalingPoint&) { return 1.0; });
  const bool proportional = all([&](const ScalingPoint& point) {
    return static_cast<double>(point.workers) / static_cast<double>(first.workers);
  });
  curve.kind = same ? ScalingKind::strong : proportional ? ScalingKind::weak : ScalingKind::mixed;
  curve.reason =
      fmt::format("{}, from {:.6g} to {:.6g} ({})",
                  same           ? "the same work for every number of workers"
                  : proportional ? "the work grows in proportion to the workers"
                                 : "the work is neither constant nor in proportion to the workers",
                  first.work, last.work, text::printable(rule, 100));
}

/// Sets the basis: total time (strong), else the rate, else work / total time. Fills in rates if
/// all cases have the same one.
void choose_basis(const ByWorkers& group, ScalingCurve& curve) {
  const ScalingCase& first = *group.begin()->second.front();
  const bool rated = std::ranges::all_of(group, [&](const auto& entry) {
    return std::ranges::all_of(entry.second, [&](const ScalingCase* one) {
      return one->rate > 0 && one->rate_name == first.rate_name &&
             one->rate_unit == first.rate_unit;
    });
  });
  if (rated) {
    curve.rate_name = first.rate_name;
    curve.rate_unit = first.rate_unit;
    for (ScalingPoint& point : curve.points)
      point.rate = geometric_mean(group.at(point.workers), &ScalingCase::rate);
  }
  curve.basis = curve.kind == ScalingKind::strong ? "total_time"
                : rated                           ? curve.rate_name
                                                  : "work / total_time";
}

/// Time to compare: that of the whole work (strong), else that of one unit of work per worker.
/// Seconds.
double time_of(const ScalingCase& one, const ScalingCurve& curve) {
  if (curve.kind == ScalingKind::strong) return one.time;
  const double rate = curve.rate_name.empty() ? one.work / one.time : one.rate;
  return static_cast<double>(one.workers) / rate;
}

stats::ScalePoint scale_point(const Repeats& cases, const ScalingCurve& curve) {
  std::vector<double> logs;
  for (const ScalingCase* one : cases) logs.push_back(std::log(time_of(*one, curve)));
  stats::ScalePoint point{.workers = static_cast<double>(cases.front()->workers),
                          .time = std::exp(stats::mean(logs))};
  if (logs.size() > 1) {
    const auto runs = static_cast<double>(logs.size());
    point.log_variance = std::pow(stats::stddev(logs), 2) / runs;
    point.df = runs - 1;
  }
  return point;
}

void compute_point(const stats::ScalePoint& base, const stats::ScalePoint& here, bool repeated,
                   ScalingKind kind, ScalingPoint& point) {
  const bool strong = kind == ScalingKind::strong;
  const stats::LogRatio efficiency =
      strong ? stats::strong_efficiency(base, here) : stats::weak_efficiency(base, here);
  point.efficiency = efficiency.value;
  point.speed_up = efficiency.value * here.workers;
  if (repeated) {
    const stats::Interval interval = efficiency.interval();
    point.efficiency_interval = interval;
    point.speed_up_interval = {interval.low * here.workers, interval.high * here.workers};
  }
  const auto serial = strong ? stats::karp_flatt(base, here) : std::nullopt;
  if (!serial) return;
  point.serial_fraction = serial->value;
  if (repeated) point.serial_fraction_interval = serial->interval();
}

ScalingCurve curve_of(const std::string& key, const ByWorkers& group) {
  ScalingCurve curve;
  curve.key = key;
  for (const auto& [workers, cases] : group) {
    ScalingPoint point;
    point.key = cases.front()->key;
    point.workers = workers;
    point.runs = cases.size();
    point.time = geometric_mean(cases, &ScalingCase::time);
    const bool work_known =
        std::ranges::all_of(cases, [](const auto* one) { return one->work > 0; });
    if (work_known) point.work = geometric_mean(cases, &ScalingCase::work);
    curve.points.push_back(std::move(point));
  }
  decide_kind(group, curve);
  choose_basis(group, curve);
  const stats::ScalePoint base = scale_point(group.begin()->second, curve);
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    ScalingPoint& point = curve.points[i];
    const bool repeated = i > 0 && point.runs > 1 && curve.points.front().runs > 1;
    compute_point(base, scale_point(group.at(point.workers), curve), repeated, curve.kind, point);
  }
  return curve;
}

}  // namespace

std::string_view to_string(ScalingKind kind) {
  switch (kind) {
    case ScalingKind::strong:
      return "strong";
    case ScalingKind::weak:
      return "weak";
    case ScalingKind::mixed:
      break;
  }
  return "mixed";
}

std::vector<ScalingCurve> scaling_curves(std::span<const std::vector<ScalingCase>> runs) {
  std::vector<std::string> order;
  std::map<std::string, ByWorkers> groups;
  for (const std::vector<ScalingCase>& run : runs) {
    std::map<std::string, std::map<std::int64_t, bool>> seen;
    for (const ScalingCase& one : run) {
      if (!seen[one.curve].emplace(one.workers, true).second) continue;
      const auto [place, fresh] = groups.try_emplace(one.curve);
      if (fresh) order.push_back(one.curve);
      place->second[one.workers].push_back(&one);
    }
  }
  std::vector<ScalingCurve> curves;
  for (const std::string& key : order) {
    if (groups[key].size() > 1) curves.push_back(curve_of(key, groups[key]));
  }
  return curves;
}

}  // namespace scalemark::analysis
