// SPDX-License-Identifier: Apache-2.0
// Estimates how many runs are needed to decide the open rows of a comparison.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "common/stats/moderated.hpp"

namespace scalemark::stats {

/// Probability of a decision that counts as enough. It is averaged over the unknown true values. On
/// simulated tables, rows are then decided in 8 of 10 cases (test `common.compare.runs_needed`).
inline constexpr double kAssured = 0.75;
/// Largest number of runs considered; as a result it means "this many or more".
inline constexpr int kMaxRunsNeeded = 1000;

/// A row of a comparison as it was tested, on the log scale.
struct TestedRow {
  double difference = 0;
  SampleVariance noise;  ///< noise of one run (or of one block's difference), as used in the test
  double prior_df = 0;   ///< degrees of freedom from the prior of other rows; included in noise.df
  /// degrees of freedom of the test / own degrees of freedom; below 1 for Welch's test
  double df_share = 1;
  int runs_a = 0, runs_b = 0;
  bool paired = false;   ///< runs are paired in blocks
  bool directed = true;  ///< the metric has a better direction; otherwise only SAME can be decided
  bool changed = false;  ///< decided: changed by more than the threshold
  bool is_open = false;
};

/// Rules by which rows are decided.
struct DecisionRules {
  double tau = 0;            ///< threshold
  double alpha = 0.05;       ///< false discovery rate, and significance level of SAME
  bool family_wise = false;  ///< use Holm's adjustment instead of Benjamini and Hochberg's
};

/// For each open row: the smallest total number of runs per side at which it is decided (as changed
/// or as SAME) with probability kAssured. Nothing for other rows. The probability is averaged over
/// the true difference (its distribution is fitted to all rows), the true noise, and future runs.
/// The significance level is that of the adjustment for the number of changes then expected.
std::vector<std::optional<int>> runs_to_decide(std::span<const TestedRow> rows,
                                               const DecisionRules& rules);

}  // namespace scalemark::stats
