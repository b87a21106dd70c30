// SPDX-License-Identifier: Apache-2.0
// Changes of the slowest hundredth of the iterations which the median does not show.
#pragma once

#include <vector>

#include "common/compare/findings/findings.hpp"
#include "common/compare/test_rows.hpp"

namespace scalemark::compare {

/// The 99th percentile of each row whose runs all have 1000 iterations and more, tested as the
/// medians are, in a family of its own. Rows whose median got the same verdict are left out, and
/// those in which one side's percentile lies within the interval that runs of the other have for
/// theirs.
/// `pairs` and `rows` are in the same order.
std::vector<Finding> find_changed_tails(const std::vector<PairedRow>& pairs,
                                        const std::vector<RowValues>& rows, const Design& design,
                                        const CompareOptions& options);

}  // namespace scalemark::compare
