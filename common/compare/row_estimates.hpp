// SPDX-License-Identifier: Apache-2.0
// Estimates the difference of each row and its standard error. Rows of one metric share information
// on their variance (moderated t-test).
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

/// Number of rows from which a prior of variances is fitted.
inline constexpr std::size_t kMinRowsForPrior = 20;

/// Difference B - A of logarithms, and its variance.
struct RowContrast {
  double difference = 0;
  /// Variance of one run; if paired, of the difference within one block.
  stats::SampleVariance own;
  double scale = 0;                      ///< squared standard error / own variance
  std::optional<stats::Contrast> sides;  ///< both sides' statistics; empty if paired
};

/// The difference between two sides of ln values. No variance is below that of the clock resolution
/// (`clock_step`, relative). Nothing if a side has no value.
std::optional<RowContrast> contrast_of(const std::vector<double>& a, const std::vector<double>& b,
                                       const Design& design, double clock_step = 0,
                                       const std::optional<stats::Contrast>& baseline = {});
/// Estimate from the row's own variance: Welch's t; pooled t if a side has one run; paired t with
/// blocks. Nothing without repeated runs.
std::optional<stats::Estimate> estimate_alone(const RowContrast& row);

/// The estimate of a row.
struct RowEstimate {
  std::optional<stats::Estimate> test;
  double prior_df = 0;  ///< degrees of freedom of the prior; 0 = none used
};
/// Estimates all rows, in their order. Metrics with at least 20 rows have their own prior; other
/// metrics use one fitted to all rows if these are at least 20. `stored` priors (by metric, "" =
/// all) take precedence. `method` receives a description of the tests used.
std::vector<RowEstimate> estimate_rows(const std::vector<RowValues>& rows, const Design& design,
                                       const std::map<std::string, stats::Prior>& stored,
                                       std::string& method);

}  // namespace scalemark::compare
