// SPDX-License-Identifier: Apache-2.0
// Noise between runs of one side, per row. It limits the changes that a comparison can detect.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "common/compare/digest.hpp"

namespace scalemark::compare {

/// One case over several runs. Variances are those of ln(median of a run).
struct RowNoise {
  std::string key, metric, unit;
  Better better = Better::lower;
  int runs = 0;         ///< number of runs with a usable value
  double value = 0;     ///< geometric mean of the runs' medians
  double variance = 0;  ///< moderated with the variances of other rows, if there are enough
  double prior_df = 0;  ///< degrees of freedom of the prior; 0 = none
};

/// The noise of a set of runs.
struct Noise {
  std::vector<RowNoise> rows;  ///< in the order of the files
  /// Cases with one usable value or without a direction: their noise is unknown.
  std::vector<std::string> left_out;
  double typical = 0;  ///< standard deviation of the logarithm, median over rows
};

/// Estimates the noise of each row. From 20 rows on, variances are moderated
/// (docs/measuring/statistics.md). They are at least the variance of the clock's rounding.
Noise noise_of(std::span<const RunDigest> runs);

/// Plans assume that one row in ten changes.
inline constexpr double kChangedShare = 0.1;
/// Power that plans require: probability to detect a change that exists.
inline constexpr double kPlannedPower = 0.8;

/// The significance level per row after the Benjamini-Hochberg adjustment: alpha * rejections /
/// rows. It assumes that `found`, a fraction of the changed rows (kChangedShare of `rows`), is
/// rejected; at least one rejection.
double level_in_table(double alpha, std::size_t rows, double found);

/// The relative change that `runs_a` against `runs_b` runs detect with 80 % power, among all rows
/// of `noise`.
double detectable_change(const RowNoise& row, const Noise& noise, int runs_a, int runs_b,
                         double threshold, double alpha);

}  // namespace scalemark::compare
