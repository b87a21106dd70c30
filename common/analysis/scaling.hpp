// SPDX-License-Identifier: Apache-2.0
// Strong scaling (same total work) and weak scaling (same work per rank) of the cases of a run.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/result/model.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::analysis {

/// What scaling needs from a case; holds no samples.
struct ScalingCase {
  std::string key;           ///< key of the case
  std::string curve;         ///< the key without the axes that count workers (ranks, replicas)
  std::int64_t workers = 1;  ///< ranks x devices driven by one process
  double time = 0;           ///< s, `total_time`
  double work = 0;           ///< of all workers together; 0 = unknown
  std::string work_rule;     ///< how the work was counted: "images_seen", ...
  double rate = 0;           ///< items per second, all workers; 0 = no such metric
  std::string rate_name, rate_unit;
};

/// Extracts time, work and rate from a case. Nothing if it is not ok or has no `total_time`. The
/// work is the fact `images_seen`; else steps x batch x accumulation x ranks; else rate x total
/// time. The rate is the first metric that counts items per second ({image}/s, {token}/s).
std::optional<ScalingCase> scaling_case(const CaseResult& result);

/// strong: the same work at each number of workers; weak: work proportional to the workers (both
/// within 5 %); mixed: neither.
enum class ScalingKind { strong, weak, mixed };
std::string_view to_string(ScalingKind kind);

/// One point of a curve: geometric means over runs, and 95 % intervals over runs. Intervals need
/// at least two runs of both this point and the first.
struct ScalingPoint {
  std::string key;  ///< key of the first run's case
  std::int64_t workers = 1;
  std::size_t runs = 1;
  double time = 0;        ///< s
  double work = 0;        ///< 0 = unknown
  double rate = 0;        ///< the curve's `rate_name`; 0 = none
  double speed_up = 1;    ///< efficiency x workers
  double efficiency = 1;  ///< relative to the fewest workers
  std::optional<stats::Interval> speed_up_interval, efficiency_interval;
  /// Karp-Flatt serial fraction; strong curves only, from the second point on.
  std::optional<double> serial_fraction;
  std::optional<stats::Interval> serial_fraction_interval;
};

/// The points that differ only in their number of workers.
struct ScalingCurve {
  std::string key;  ///< key of the cases without the number of workers
  ScalingKind kind = ScalingKind::strong;
  std::string reason;  ///< why the curve is of this kind, in one line
  /// The quantity that speed-up and efficiency are computed from: `total_time` for strong scaling,
  /// else the rate, or "work / total_time" without a rate.
  std::string basis;
  std::string rate_name, rate_unit;  ///< empty unless all points have the same rate
  std::vector<ScalingPoint> points;  ///< by number of workers
};

/// Groups cases that differ only in their number of ranks or replicas into curves of two or more
/// points. The fewest workers are the base and count as perfect: their speed-up is their number.
/// Strong: efficiency = base workers x T(base) / (workers x T). Weak and mixed: efficiency = rate
/// per worker / rate per worker of the base. If a run has a case twice, the first counts. (One of
/// the two published studies gives speed-up in percent and calls it efficiency.)
std::vector<ScalingCurve> scaling_curves(std::span<const std::vector<ScalingCase>> runs);

/// Prints each curve and its points; nothing without curves.
void print_scaling(const std::vector<ScalingCurve>& curves, std::ostream& out);
/// The field `scaling` of one case: its curve and its point.
nlohmann::ordered_json scaling_json(const ScalingCurve& curve, const ScalingPoint& point);

}  // namespace scalemark::analysis
