// SPDX-License-Identifier: Apache-2.0
// What the rows of a run have in common: the shift of whole runs, and geometric means over rows.
#pragma once

#include <vector>

#include "common/compare/design.hpp"
#include "common/compare/findings/findings.hpp"
#include "common/compare/row_values.hpp"

namespace scalemark::compare {

/// ln of the cost of each run's middle row, relative to the middle of both sides.
struct RunEffects {
  std::vector<double> a, b;
};

RunEffects run_effects(const std::vector<RowValues>& rows, std::size_t runs_a, std::size_t runs_b);

/// The test of the effects, which are one number a run.
WholeRunShift whole_run_shift(const RunEffects& effects, const std::vector<RowValues>& rows,
                              const Design& design);

/// Takes each run's effect out of its rows.
void remove_effects(const RunEffects& effects, std::vector<RowValues>& rows);

/// One a metric with a direction, over the rows that every run has; a run of which every row is
/// missing does not count. By name.
std::vector<GeometricMean> geometric_means(const std::vector<RowValues>& rows,
                                           const Design& design);

}  // namespace scalemark::compare
