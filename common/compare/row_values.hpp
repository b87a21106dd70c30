// SPDX-License-Identifier: Apache-2.0
// A case of all runs as logarithms: what every test of a comparison starts from.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/compare/compare.hpp"
#include "common/stats/moderated.hpp"

namespace scalemark::compare {

/// A case with a result on both sides; one entry a run, null where the run lacks the case.
struct PairedRow {
  std::string key;
  std::vector<const RowDigest*> a, b;
};

struct RowValues {
  CompareRow row;            ///< what needs no test is filled in
  std::vector<double> a, b;  ///< ln of each run's value; NaN where it has none
  double clock_step = 0;     ///< of the coarsest clock, relative to what it measured
  /// Of a baseline, which is then the one entry of `a`: the runs that it stands for.
  std::optional<stats::Contrast> baseline;

  /// +1 where more is worse, -1 where it is better, 0 without a direction.
  double cost_sign() const;
  /// ln of each run's cost: plus is worse.
  double cost(double log_value) const { return cost_sign() * log_value; }
};

/// Those that are numbers, in their order.
std::vector<double> finite_values(const std::vector<double>& values);

/// Flags of rows with runs whose value has no logarithm, or is of another metric than A's.
inline constexpr const char* kUnusableValue = "unusable_value";
inline constexpr const char* kMetricDiffers = "metric_differs";

/// Why runs of B that have the case give no value for the row, in a word and with what was found.
struct Unusable {
  std::string word, reason;
};
Unusable why_unusable(const std::vector<const RowDigest*>& side, const CompareRow& row);

/// `configs_differ` says whether to flag other configurations: not where keys were mapped.
RowValues row_values(const PairedRow& pair, bool flag_configs);

/// Sides' means, the change, and how many runs: from `a` and `b` as they are now.
void describe(RowValues& values);

}  // namespace scalemark::compare
