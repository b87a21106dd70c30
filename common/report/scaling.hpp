// SPDX-License-Identifier: Apache-2.0
// How the same work scales over ranks within a run.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "common/result/model.hpp"

namespace scalemark::report {

/// One point of a curve.
struct ScalingPoint {
  std::int64_t workers = 1;  ///< ranks, times the devices that one process drives
  double time = 0;           ///< s
  double speed_up = 1;       ///< time of the fewest workers, times their number, / time
  double efficiency = 1;     ///< speed_up / workers
};
struct ScalingCurve {
  std::string key;  ///< of the cases, without the number of workers
  std::vector<ScalingPoint> points;
};

/// The cases that differ in their number of ranks (or replicas) only and have a `total_time`: two
/// and more of a kind, all ok. With one worker among them speed-up is that against one worker;
/// else the fewest are taken as perfect. (What one of the studies calls efficiency is the speed-up
/// in percent.)
std::vector<ScalingCurve> scaling_curves(const Run& run);

/// Nothing when there is no curve.
void print_scaling(const Run& run, std::ostream& out);

}  // namespace scalemark::report
