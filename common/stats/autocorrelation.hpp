// SPDX-License-Identifier: Apache-2.0
// Effective sample size of a time series, and the confidence interval of its median.
#pragma once

#include <cstddef>
#include <span>

namespace scalemark::stats {

/// Integrated autocorrelation time by Geyer's initial positive sequence (1992), with covariances
/// divided by n. Beyond 4096 lags, one pair of lags in 64 is computed and stands for the others.
struct Autocorrelation {
  double tau_raw = 1;  ///< can be below 1 if neighbouring values are negatively correlated
  double tau = 1;      ///< at least 1
  std::size_t pairs = 0;
  double n_eff = 0;      ///< n / tau
  bool constant = true;  ///< true if all values are equal; tau is then 1
};

/// Autocorrelation of the values. A series that contains NaN counts as constant. Rare spikes hide
/// the correlation of the other values: for an interval of the median use sign_autocorrelation().
Autocorrelation autocorrelation(std::span<const double> values);
/// Autocorrelation of sign(x - median). A series that contains NaN counts as constant.
Autocorrelation sign_autocorrelation(std::span<const double> values);

/// Confidence interval of the median from order statistics (Le Boudec 2010, chapter 2). It uses the
/// normal approximation of the binomial distribution with `n_eff` values, scaled to the n ranks.
/// Ranks count from 1.
struct MedianInterval {
  double median = 0;
  std::size_t rank_low = 0, rank_high = 0;
  double low = 0, high = 0;
  /// too few values for the confidence level: the interval ends at the minimum or maximum
  bool clamped = false;
};
/// `sorted` holds at least one value. `z` is the normal quantile (1.96 for 95 %).
MedianInterval order_statistic_interval(std::span<const double> sorted, double n_eff, double z);

}  // namespace scalemark::stats
