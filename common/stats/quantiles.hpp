// SPDX-License-Identifier: Apache-2.0
// Quantiles of sorted values, given in thousandths, and measures of spread.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace scalemark::stats {

/// Quantile type 7 of Hyndman and Fan (1996): linear between the two nearest values. NaN if there
/// are no values. `thousandths`, an integer in [0, 1000], avoids rounding: 99.9 % of 1001 values is
/// exactly one of the values.
double type7(std::span<const double> sorted, std::int64_t thousandths);
/// Nearest-rank quantile: the value of rank ceil(n * thousandths / 1000), at least 1. It is always
/// a measured value.
double nearest_rank(std::span<const double> sorted, std::int64_t thousandths);
/// Third quartile - first quartile, type 7.
double interquartile_range(std::span<const double> sorted);
/// Median of |x - median|, of values in any order. Unlike stats::mad() it is not scaled to a
/// standard deviation.
double median_absolute_deviation(std::span<const double> values);

/// Quantile estimator of Harrell and Davis (1982): a weighted mean of all values, smoother than one
/// or two of them. `q` in (0, 1).
double harrell_davis(std::span<const double> sorted, double q);
/// The deciles: harrell_davis() at q = 0.1 ... 0.9.
std::array<double, 9> harrell_davis_deciles(std::span<const double> sorted);

}  // namespace scalemark::stats
