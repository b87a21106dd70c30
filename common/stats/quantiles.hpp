// SPDX-License-Identifier: Apache-2.0
// Quantiles of sorted values at exact thousandths, and measures of spread made of them.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace scalemark::stats {

/// Type 7 of Hyndman and Fan (1996): linear between the two nearest values. `thousandths` in [0,
/// 1000] is an integer, so that 99.9 % of 1001 values is a value and not the one beside it. NaN for
/// none.
double type7(std::span<const double> sorted, std::int64_t thousandths);
/// The value of rank ceil(n * thousandths / 1000), at least 1: always one that was measured.
double nearest_rank(std::span<const double> sorted, std::int64_t thousandths);
/// Third less first quartile, type 7.
double interquartile_range(std::span<const double> sorted);
/// median |x - median|, not scaled; values in any order. stats::mad() is scaled to a normal's sd.
double median_absolute_deviation(std::span<const double> values);

/// Harrell and Davis (1982): a weighted mean of all values, smoother than one or two of them. `q`
/// in (0, 1).
double harrell_davis(std::span<const double> sorted, double q);
/// At q = 0.1 ... 0.9.
std::array<double, 9> harrell_davis_deciles(std::span<const double> sorted);

}  // namespace scalemark::stats
