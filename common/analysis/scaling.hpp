// SPDX-License-Identifier: Apache-2.0
// How work scales over ranks: the same work (strong) or work that grows with them (weak).
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

/// What scaling looks at in a case, which needs no samples any more.
struct ScalingCase {
  std::string key;           ///< of the case
  std::string curve;         ///< the key without the axes that count workers
  std::int64_t workers = 1;  ///< ranks, times the devices that one process drives
  double time = 0;           ///< s, `total_time`
  double work = 0;           ///< by all workers; 0: the case does not tell
  std::string work_rule;     ///< what was counted: "images_seen", ...
  double rate = 0;           ///< things a second, by all workers; 0: the case has no such metric
  std::string rate_name, rate_unit;
};

/// Nothing for a case that is not ok or has no `total_time`. The work is the fact `images_seen`;
/// else steps x batch x accumulation x ranks; else the rate times the total time. The rate is the
/// first metric that counts things a second ({image}/s, {token}/s).
std::optional<ScalingCase> scaling_case(const CaseResult& result);

/// strong: the same work at each number of workers (within 5 %); weak: work in proportion to them
/// (within 5 %); mixed: neither.
enum class ScalingKind { strong, weak, mixed };
std::string_view to_string(ScalingKind kind);

/// One point of a curve. Of several runs geometric means; intervals hold 95 % over runs, and are
/// there where this point and the first one have two runs and more.
struct ScalingPoint {
  std::string key;  ///< of the first case
  std::int64_t workers = 1;
  std::size_t runs = 1;
  double time = 0;        ///< s
  double work = 0;        ///< 0: not known
  double rate = 0;        ///< of the curve's `rate_name`; 0 where there is none
  double speed_up = 1;    ///< against the fewest workers, times their number
  double efficiency = 1;  ///< speed_up / workers
  std::optional<stats::Interval> speed_up_interval, efficiency_interval;
  /// Karp and Flatt's; of strong curves behind their first point.
  std::optional<double> serial_fraction;
  std::optional<stats::Interval> serial_fraction_interval;
};

struct ScalingCurve {
  std::string key;  ///< of the cases, without the number of workers
  ScalingKind kind = ScalingKind::strong;
  std::string reason;  ///< why it is of that kind, in one line
  /// What speed-up and efficiency are of: `total_time` where the work stays the same, else the
  /// rate, or "work / total_time" without one.
  std::string basis;
  std::string rate_name, rate_unit;  ///< empty: not all points have the same one
  std::vector<ScalingPoint> points;  ///< by workers
};

/// The cases that differ in their number of ranks (or replicas) only, two and more of a kind. With
/// one worker among them speed-up is that against one worker; else the fewest are taken as perfect.
/// Strong: T(1) / T(p). Weak and mixed: the rate of p workers by that of one. (What one of the
/// studies calls efficiency is the speed-up in percent.) A case that a run has twice counts once.
std::vector<ScalingCurve> scaling_curves(std::span<const std::vector<ScalingCase>> runs);

/// As text; nothing when there is no curve.
void print_scaling(const std::vector<ScalingCurve>& curves, std::ostream& out);
/// Of one case: its curve, and what its point says.
nlohmann::ordered_json scaling_json(const ScalingCurve& curve, const ScalingPoint& point);

}  // namespace scalemark::analysis
