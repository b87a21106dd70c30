// SPDX-License-Identifier: Apache-2.0
// Iterations in a fast and a slow mode: whether the mix of the two changed, which a median hides.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/compare/design.hpp"
#include "common/compare/findings/findings.hpp"
#include "common/compare/row_values.hpp"

namespace scalemark::compare {

/// Two modes of one run's log times.
struct ModeSplit {
  double middle = 0;  ///< between them
  double apart = 0;   ///< how far they are from each other
};

/// By 2-means; nothing where the two parts are no modes: their distance is below 2 % or
/// `least_apart`, below four of their standard deviations (Ashman, Bird and Zepf 1994), or one of
/// them is less than 4 %.
std::optional<ModeSplit> mode_split(std::span<const float> sketch, double least_apart = 0);

/// Rows in which the slow mode's share of the iterations differs between the sides. It is tested
/// over runs on the logit scale, Benjamini-Hochberg at `alpha`; a share must change by 2 % of all
/// iterations. Flags the rows `modes_changed`; one that was SAME becomes INCONCLUSIVE. `pairs` and
/// `rows` are in the same order.
std::vector<Finding> find_changed_modes(const std::vector<PairedRow>& pairs,
                                        std::vector<RowValues>& rows, const Design& design,
                                        double alpha);

}  // namespace scalemark::compare
