// SPDX-License-Identifier: Apache-2.0
// Whether the samples of a run, in time order, are of one kind: warm-up, drift, shifts.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace scalemark::stats {

/// How many values to drop from the front so that the mean of the rest is known best: MSER-5 (White
/// 1997; White, Cobb and Spratt 2000). It looks at the first half only.
struct Mser5 {
  std::size_t batches = 0;  ///< of 5 values; a rest is left out
  std::size_t d_star = 0;   ///< batches to drop
  double statistic = 0;     ///< NaN where too short
  bool at_limit = false;    ///< the least is at the end of what it looks at
  bool too_short = false;   ///< fewer than 4 batches

  std::size_t truncate() const { return 5 * d_star; }
};
Mser5 mser5(std::span<const double> values);

/// From `index` on, values are of another level.
struct ChangePoint {
  std::size_t index = 0;
  double change = 0;  ///< median after less median before, up to the neighbouring change points
};

struct ChangeOptions {
  double penalty = 15;         ///< times ln n: Barrett et al. (OOPSLA 2017)
  double least_change = 0.01;  ///< smaller ones are of no interest
  double least_spread = 0;     ///< standard deviation that the clock's step alone gives
};

/// Change points of the mean by PELT (Killick, Fearnhead and Eckley 2012) on at most 1000 batches.
/// `logs` of times, finite. Spikes are clipped, and a change must stand out from the correlated
/// noise of its surroundings.
std::vector<ChangePoint> change_points(std::span<const double> logs,
                                       const ChangeOptions& options = {});

/// Flags of a run: `warmup_short` (the level of the first samples that count differs from that of
/// the rest, and moves the median out of the interval that the rest has for it), `not_steady` (the
/// same, through the whole first half) and `shift_in_run`. Only differences of at least
/// `least_change` count. `times` holds all iterations with the `warmup`
/// first ones, positive. `resolution`: the clock's step relative to the median time.
std::vector<std::string> steadiness_flags(std::span<const double> times, std::size_t warmup,
                                          double resolution = 0);

}  // namespace scalemark::stats
