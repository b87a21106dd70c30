// SPDX-License-Identifier: Apache-2.0
// Speed-up and efficiency from the total times of a run.
#include "common/report/scaling.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/base/units.hpp"
#include "common/result/summarise.hpp"

namespace scalemark::report {
namespace {

std::int64_t count_of(const Params& params, const std::string& axis) {
  const auto found = params.find(axis);
  const auto* value = found == params.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
  return value == nullptr ? 1 : *value;
}

/// The key without the axes that count workers.
std::string key_without_workers(const std::string& key) {
  std::vector<std::string> words = text::split(key, ' ');
  std::erase_if(words, [](const std::string& word) {
    return word.starts_with("ranks=") || word.starts_with("replicas=");
  });
  return text::join(words, " ");
}

void finish(ScalingCurve& curve) {
  std::ranges::sort(curve.points, {}, &ScalingPoint::workers);
  const double work = curve.points.front().time * static_cast<double>(curve.points.front().workers);
  for (ScalingPoint& point : curve.points) {
    point.speed_up = work / point.time;
    point.efficiency = point.speed_up / static_cast<double>(point.workers);
  }
}

}  // namespace

std::vector<ScalingCurve> scaling_curves(const Run& run) {
  std::vector<ScalingCurve> curves;
  for (const CaseResult& result : run.cases) {
    const Metric* total = result.find("total_time");
    if (result.status != Status::ok || total == nullptr) continue;
    const std::int64_t workers =
        count_of(result.params, "ranks") * count_of(result.params, "replicas");
    const double time = summarise(result, *total).median;
    if (workers < 1 || !(time > 0)) continue;
    const std::string key = key_without_workers(result.key);
    auto curve = std::ranges::find(curves, key, &ScalingCurve::key);
    if (curve == curves.end()) curve = curves.insert(curves.end(), {key, {}});
    if (std::ranges::find(curve->points, workers, &ScalingPoint::workers) == curve->points.end())
      curve->points.push_back({.workers = workers, .time = time});
  }
  std::erase_if(curves, [](const ScalingCurve& curve) { return curve.points.size() < 2; });
  std::ranges::for_each(curves, finish);
  return curves;
}

void print_scaling(const Run& run, std::ostream& out) {
  const std::vector<ScalingCurve> curves = scaling_curves(run);
  if (!curves.empty()) out << "\nScaling of total_time:\n";
  for (const ScalingCurve& curve : curves) {
    out << fmt::format("  {}\n", text::printable(curve.key, 400));
    for (const ScalingPoint& point : curve.points) {
      out << fmt::format("    {:>5} {} {:>10}   speed-up {:.3g}   efficiency {:.3g}\n",
                         point.workers, point.workers == 1 ? "worker " : "workers",
                         units::seconds(point.time), point.speed_up, point.efficiency);
    }
  }
}

}  // namespace scalemark::report
