// SPDX-License-Identifier: Apache-2.0
// How many independent values a series in time order is worth, and the interval of its median.
#pragma once

#include <cstddef>
#include <span>

namespace scalemark::stats {

/// Integrated autocorrelation time by the initial positive sequence of Geyer (1992), covariances
/// with divisor n. Beyond 4096 lags, one pair in 64 stands for its neighbours.
struct Autocorrelation {
  double tau_raw = 1;  ///< may be below 1 where neighbours oppose each other
  double tau = 1;      ///< at least 1
  std::size_t pairs = 0;
  double n_eff = 0;      ///< n / tau
  bool constant = true;  ///< all values equal: tau is 1
};

/// Of the values themselves; with a NaN among them as of a constant. Rare spikes hide the
/// correlation of the rest: for an interval of the median take that of the sign.
Autocorrelation autocorrelation(std::span<const double> values);
/// Of the sign of x - median. With a NaN among the values: as of a constant.
Autocorrelation sign_autocorrelation(std::span<const double> values);

/// Interval of the median by order statistics (Le Boudec 2010, chapter 2): the binomial's normal
/// approximation with `n_eff` values, mapped to the n ranks. Ranks count from 1.
struct MedianInterval {
  double median = 0;
  std::size_t rank_low = 0, rank_high = 0;
  double low = 0, high = 0;
  bool clamped = false;  ///< too few values for the level: the range ends at the extreme values
};
/// At least one value, sorted. `z` is the normal quantile (1.96 for 95 %).
MedianInterval order_statistic_interval(std::span<const double> sorted, double n_eff, double z);

}  // namespace scalemark::stats
