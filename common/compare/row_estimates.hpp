// SPDX-License-Identifier: Apache-2.0
// The difference of each row with its standard error: rows of one metric lend each other their
// variance.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/compare/design.hpp"
#include "common/compare/row_values.hpp"
#include "common/stats/moderated.hpp"

namespace scalemark::compare {

/// Rows from which on a prior of their variances is worth fitting.
inline constexpr std::size_t kMinRowsForPrior = 20;

/// A difference B - A and the variance that it comes with.
struct RowContrast {
  double difference = 0;
  stats::SampleVariance own;             ///< of one run, or of the difference within one block
  double scale = 0;                      ///< squared standard error by own variance
  std::optional<stats::Contrast> sides;  ///< not of blocks
};

/// Nothing if a side has no value. No variance is below that of the clock's steps.
std::optional<RowContrast> contrast_of(const std::vector<double>& a, const std::vector<double>& b,
                                       const Design& design, double clock_step = 0,
                                       const std::optional<stats::Contrast>& baseline = {});
/// From its own variance alone: Welch's t, the pooled t where a side has one run, the t of blocks.
/// Nothing without repeated runs.
std::optional<stats::Estimate> estimate_alone(const RowContrast& row);

struct RowEstimate {
  std::optional<stats::Estimate> test;
  double prior_df = 0;  ///< borrowed
};
/// In the order of the rows. A metric of 20 rows and more has a prior of its own, the others share
/// that of all rows where these are 20; `stored` priors by metric (and "" for all) come first.
/// `method` says what was done.
std::vector<RowEstimate> estimate_rows(const std::vector<RowValues>& rows, const Design& design,
                                       const std::map<std::string, stats::Prior>& stored,
                                       std::string& method);

}  // namespace scalemark::compare
