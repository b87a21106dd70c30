// SPDX-License-Identifier: Apache-2.0
// Median, mean, spread, and the confidence interval of the median.
#pragma once

#include <span>

namespace scalemark::stats {

/// Quantile of sorted values, type 7 of Hyndman and Fan (1996), the default of R and numpy; p in
/// [0, 1].
double quantile_sorted(std::span<const double> sorted, double p);
/// Median of values in any order; NaN if there are none.
double median(std::span<const double> values);
double mean(std::span<const double> values);
/// Sample standard deviation (divisor n - 1); 0 for a single value.
double stddev(std::span<const double> values);
/// Median absolute deviation from the median, x 1.4826 (the standard deviation of normal values).
double mad(std::span<const double> values);

struct Interval {
  double low = 0, high = 0;
};
/// Confidence interval of the median from order statistics, for values in time order. The effective
/// sample size is n / autocorrelation time; below 3, the interval is minimum to maximum. `z` is the
/// normal quantile (1.96 for 95 %).
Interval median_interval(std::span<const double> in_time_order, double z = 1.959963984540054);

}  // namespace scalemark::stats
