// SPDX-License-Identifier: Apache-2.0
// How much values spread between groups, and how much within them.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace scalemark::stats {

/// Standard deviations.
struct RandomEffects {
  double between = 0, within = 0;
};

/// One-way random effects: value j of group i is mu + b_i + e_ij, of k groups with n_i values each,
/// n of them in all. By the analysis of variance,
///   within^2 = MSE = sum_ij (x_ij - mean_i)^2 / (n - k)
///   MSB = sum_i n_i (mean_i - mean)^2 / (k - 1)
///   between^2 = (MSB - MSE) / n0, n0 = (n - sum_i n_i^2 / n) / (k - 1), or 0 where that is
///   negative
/// (Searle, Casella and McCulloch 1992, Variance Components, chapter 3; n0 is n_i where all are
/// equal). Nothing for fewer than two groups, a group without values, groups of one value only, and
/// values that are not finite.
std::optional<RandomEffects> random_effects(std::span<const std::vector<double>> groups);

}  // namespace scalemark::stats
