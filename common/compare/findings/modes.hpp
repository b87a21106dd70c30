// SPDX-License-Identifier: Apache-2.0
// Detects changes in the shares of fast and slow iterations (bimodal times), which the median
// hides.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/compare/design.hpp"
#include "common/compare/findings/findings.hpp"
#include "common/compare/row_values.hpp"

namespace scalemark::compare {

/// Two modes in the logarithms of a run's iteration times.
struct ModeSplit {
  double midpoint = 0;  ///< midpoint between the two means
  double distance = 0;  ///< distance of the two means
};

/// Splits a sketch in two by 2-means. Nothing unless the parts are modes: at least 4 % of the
/// values each, and far enough apart. The distance must exceed 2 %, `min_distance`, and four
/// standard deviations (Ashman, Bird and Zepf 1994).
std::optional<ModeSplit> mode_split(std::span<const float> sketch, double min_distance = 0);

/// Finds rows in which the share of the slow mode differs between the sides. Shares are tested over
/// runs on the logit scale, adjusted by Benjamini-Hochberg at `alpha`. The share must change by at
/// least 2 % of all iterations. These rows are flagged `modes_changed`, and SAME becomes
/// INCONCLUSIVE. `pairs` and `rows` must be in the same order.
std::vector<Finding> find_changed_modes(const std::vector<PairedRow>& pairs,
                                        std::vector<RowValues>& rows, const Design& design,
                                        double alpha);

}  // namespace scalemark::compare
