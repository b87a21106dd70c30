// SPDX-License-Identifier: Apache-2.0
// Collects the values of a case over runs as logarithms, the input of all tests.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/compare/compare.hpp"
#include "common/stats/moderated.hpp"

namespace scalemark::compare {

/// A case with a result on both sides. One entry per run; null if the run lacks the case.
struct PairedRow {
  std::string key;
  std::vector<const RowDigest*> a, b;
};

/// The values of a row.
struct RowValues {
  CompareRow row;            ///< filled in except for the results of tests
  std::vector<double> a, b;  ///< ln of each run's value; NaN = none
  double clock_step = 0;     ///< coarsest clock resolution, relative to the measured time
  /// Statistics of the baseline's runs; `a` then has one entry.
  std::optional<stats::Contrast> baseline;

  /// +1 if a higher value is worse, -1 if it is better, 0 without a direction.
  double cost_sign() const;
  /// ln of a run's cost: higher is worse.
  double cost(double log_value) const { return cost_sign() * log_value; }
};

/// The finite values, in their order.
std::vector<double> finite_values(const std::vector<double>& values);

/// Flags of a row: a run's value is not positive and finite, or belongs to another metric than A's.
inline constexpr const char* kUnusableValue = "unusable_value";
inline constexpr const char* kMetricDiffers = "metric_differs";

/// Why the runs of B give no value for a row: a status word, and what was found.
struct Unusable {
  std::string word, reason;
};
/// Finds the reason for a row of B without a usable value.
Unusable why_unusable(const std::vector<const RowDigest*>& side, const CompareRow& row);

/// Collects the values and flags of a row. `flag_configs`: flag different configurations; off if
/// keys were mapped.
RowValues row_values(const PairedRow& pair, bool flag_configs);

/// Computes means, change and number of runs from `a` and `b`.
void describe(RowValues& values);

}  // namespace scalemark::compare
