// SPDX-License-Identifier: Apache-2.0
// How much the runs of one side differ among themselves, row by row: what limits every comparison
// with them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "common/compare/digest.hpp"

namespace scalemark::compare {

/// One case of several runs. Variances are of the logarithm of a run's median.
struct RowNoise {
  std::string key, metric, unit;
  Better better = Better::lower;
  int runs = 0;         ///< with a usable value
  double value = 0;     ///< geometric mean of the runs' medians
  double variance = 0;  ///< shrunk towards that of the other rows, where there are enough of them
  double prior_df = 0;  ///< degrees of freedom borrowed from them
};

struct Noise {
  std::vector<RowNoise> rows;  ///< in the order of the files
  /// Cases with one usable value, or of no direction: nothing can be said of their noise.
  std::vector<std::string> left_out;
  double typical = 0;  ///< spread of the middle row: standard deviation of the logarithm
};

/// The variance of a row is at least that of its clock's rounding, and moderated
/// (docs/measuring/statistics.md) from 20 rows on.
Noise noise_of(std::span<const RunDigest> runs);

/// One row in ten is taken to have changed where a plan has to say how many did.
inline constexpr double kChangedShare = 0.1;
/// The chance to find a change that counts as finding it.
inline constexpr double kPlannedPower = 0.8;

/// The level at which a row is tested after Benjamini and Hochberg's adjustment when a share
/// `found` of the changed rows (kChangedShare of `rows`) is found: alpha * rejections / rows, with
/// one rejection at least.
double level_in_table(double alpha, std::size_t rows, double found);

/// The change, as a fraction, that `runs_a` against `runs_b` runs find with 80 % power in a table
/// of so many rows.
double detectable_change(const RowNoise& row, const Noise& noise, int runs_a, int runs_b,
                         double threshold, double alpha);

}  // namespace scalemark::compare
