// SPDX-License-Identifier: Apache-2.0
// Checks whether the samples of a run, in time order, have one level: warm-up, drift, shifts.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace scalemark::stats {

/// MSER-5: the number of values to drop at the start so that the mean of the rest is known best
/// (White 1997; White, Cobb and Spratt 2000). At most the first half is dropped.
struct Mser5 {
  std::size_t batches = 0;  ///< of 5 values; left-over values are ignored
  std::size_t d_star = 0;   ///< number of batches to drop
  double statistic = 0;     ///< NaN if the series is too short
  bool at_limit = false;    ///< the minimum is at the end of the first half
  bool too_short = false;   ///< fewer than 4 batches

  std::size_t truncate() const { return 5 * d_star; }
};
Mser5 mser5(std::span<const double> values);

/// The level of the values changes at `index`.
struct ChangePoint {
  std::size_t index = 0;
  double change = 0;  ///< median after - median before, each up to the neighbouring change point
};

/// What counts as a change of level.
struct ChangeOptions {
  double penalty = 15;         ///< x ln n: Barrett et al. (OOPSLA 2017)
  double least_change = 0.01;  ///< smaller changes are not reported
  double least_spread = 0;     ///< standard deviation caused by the resolution of the clock
};

/// Change points of the mean by PELT (Killick, Fearnhead and Eckley 2012), on at most 1000 batches.
/// `logs`: finite logarithms of times. Spikes are clipped. A change must stand out from the noise
/// around it, with its autocorrelation.
std::vector<ChangePoint> change_points(std::span<const double> logs,
                                       const ChangeOptions& options = {});

/// Flags of a run.
/// - warmup_short: after the warm-up, the first samples have another level than the rest, and move
///   the median out of the confidence interval of the rest.
/// - not_steady: the same throughout the first half.
/// - shift_in_run: the level changes later.
/// Only differences of at least `least_change` count. `times`: positive times of all iterations,
/// including the `warmup` first ones. `resolution`: step of the clock / median time.
std::vector<std::string> steadiness_flags(std::span<const double> times, std::size_t warmup,
                                          double resolution = 0);

}  // namespace scalemark::stats
