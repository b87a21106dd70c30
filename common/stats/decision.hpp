// SPDX-License-Identifier: Apache-2.0
// How many runs would decide rows that are still open, from what the table shows so far.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "common/stats/moderated.hpp"

namespace scalemark::stats {

/// Chance of a decision that counts as enough. It is an average over what is unknown; on simulated
/// tables rows are then decided in 8 of 10 cases (test `common.report.runs_needed`).
inline constexpr double kAssured = 0.75;
/// The largest number of runs that is looked at; it stands for "as many or more".
inline constexpr int kMaxRunsNeeded = 1000;

/// A row of a comparison as it was tested, on the log scale.
struct TestedRow {
  double difference = 0;
  SampleVariance noise;  ///< of one run (of one block's difference), as the test has it
  double prior_df = 0;   ///< degrees of freedom borrowed from other rows, part of noise.df
  double df_share = 1;   ///< degrees of freedom of the test, per own one: below 1 for Welch's
  int runs_a = 0, runs_b = 0;
  bool paired = false;   ///< runs are blocks
  bool directed = true;  ///< can be a change for better or worse; else only SAME
  bool changed = false;  ///< decided: beyond the threshold
  bool is_open = false;
};

/// How rows are decided.
struct DecisionRules {
  double tau = 0;            ///< threshold
  double alpha = 0.05;       ///< false discovery rate, and level of SAME
  bool family_wise = false;  ///< Holm's adjustment instead of Benjamini and Hochberg's
};

/// For each open row the least number of runs on each side, with those already made, at which it is
/// decided, as a change or as SAME, with probability kAssured. Averaged over: the true difference,
/// whose distribution over the table is fitted to all rows; the true noise; and the runs to come.
/// The level of the tests is that of the adjustment for as many changes as are then expected.
std::vector<std::optional<int>> runs_to_decide(std::span<const TestedRow> rows,
                                               const DecisionRules& rules);

}  // namespace scalemark::stats
