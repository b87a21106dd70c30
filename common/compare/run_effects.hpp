// SPDX-License-Identifier: Apache-2.0
// What all rows of a run have in common: shifts of whole runs, and geometric means over rows.
#pragma once

#include <vector>

#include "common/compare/design.hpp"
#include "common/compare/findings/findings.hpp"
#include "common/compare/row_values.hpp"

namespace scalemark::compare {

/// Per run, its shift: the median over rows of ln(cost) relative to the row's mean.
struct RunEffects {
  std::vector<double> a, b;
};

/// The shifts of all runs.
RunEffects run_effects(const std::vector<RowValues>& rows, std::size_t runs_a, std::size_t runs_b);

/// Tests whether the shifts differ between the sides; each run counts as one value.
WholeRunShift whole_run_shift(const RunEffects& effects, const std::vector<RowValues>& rows,
                              const Design& design);

/// Subtracts each run's shift from its rows.
void remove_effects(const RunEffects& effects, std::vector<RowValues>& rows);

/// Geometric means over rows, one per metric with a direction and at least two rows, sorted by
/// name. Only rows that all runs have are used. Runs without any of the rows do not count.
std::vector<GeometricMean> geometric_means(const std::vector<RowValues>& rows,
                                           const Design& design);

}  // namespace scalemark::compare
