// SPDX-License-Identifier: Apache-2.0
// Detects changes of the 99th percentile that the median does not show.
#pragma once

#include <vector>

#include "common/compare/findings/findings.hpp"
#include "common/compare/test_rows.hpp"

namespace scalemark::compare {

/// Tests the 99th percentile of each row whose runs all have at least 1000 iterations. The tests
/// are those of the medians, with their own adjustment for multiple tests. Left out: rows whose
/// median has the same verdict, and rows in which one side's percentile lies within the other
/// side's interval. `pairs` and `rows` must be in the same order.
std::vector<Finding> find_changed_tails(const std::vector<PairedRow>& pairs,
                                        const std::vector<RowValues>& rows, const Design& design,
                                        const CompareOptions& options);

}  // namespace scalemark::compare
