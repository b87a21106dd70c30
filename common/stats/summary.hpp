// SPDX-License-Identifier: Apache-2.0
// Quantiles and the interval of the median.
#pragma once

#include <span>

namespace scalemark::stats {

/// Quantile type 7 of Hyndman and Fan (1996) (R's and numpy's default) of sorted values, p in [0,
/// 1].
double quantile_sorted(std::span<const double> sorted, double p);
/// Median of values in any order. NaN for none.
double median(std::span<const double> values);
double mean(std::span<const double> values);
/// Sample standard deviation (n - 1); 0 for one value.
double stddev(std::span<const double> values);
/// 1.4826 * median |x - median|.
double mad(std::span<const double> values);

struct Interval {
  double low = 0, high = 0;
};
/// Order-statistic interval of the median for values in time order, with the effective sample size
/// n / autocorrelation time. `z` is the normal quantile (1.96 for 95 %). Below 3 effective values:
/// minimum and maximum.
Interval median_interval(std::span<const double> in_time_order, double z = 1.959963984540054);

}  // namespace scalemark::stats
