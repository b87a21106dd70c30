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

std::int64_t taken_out(Params& params, const std::string& axis) {
  const auto found = params.find(axis);
  if (found == params.end()) return 1;
  const auto* value = std::get_if<std::int64_t>(&found->second);
  const std::int64_t count = value == nullptr ? 1 : *value;
  params.erase(found);
  return count;
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
    Params params = result.params;
    const std::int64_t workers = taken_out(params, "ranks") * taken_out(params, "replicas");
    const double time = summarise(result, *total).median;
    if (workers < 1 || !(time > 0)) continue;
    const std::string key = make_key(result.name, params);
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
