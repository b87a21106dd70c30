// SPDX-License-Identifier: Apache-2.0
// Variation between groups and within groups.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace scalemark::stats {

/// Standard deviations between and within groups.
struct RandomEffects {
  double between = 0, within = 0;
};

/// One-way random effects model: value j of group i is mu + b_i + e_ij. There are k groups with n_i
/// values each, n values in total. The analysis of variance gives
///   within^2 = MSE = sum_ij (x_ij - mean_i)^2 / (n - k)
///   MSB = sum_i n_i (mean_i - mean)^2 / (k - 1)
///   between^2 = (MSB - MSE) / n0, or 0 if that is negative
///   n0 = (n - sum_i n_i^2 / n) / (k - 1)
/// Source: Searle, Casella and McCulloch 1992, Variance Components, chapter 3; n0 = n_i if all are
/// equal. Nothing for fewer than two groups, an empty group, only groups of one value, or values
/// that are not finite.
std::optional<RandomEffects> random_effects(std::span<const std::vector<double>> groups);

}  // namespace scalemark::stats
