// SPDX-License-Identifier: Apache-2.0
// Unequal counts, as tokens of a mixture of experts have them.
#pragma once

#include <cstddef>
#include <vector>

namespace scalemark::micro {

/// Shares of `ranks` ranks by Zipf's law: that of rank k is proportional to 1 / (k + 1)^skew. Their
/// sum is 1. With skew 0 all are equal.
std::vector<double> zipf_shares(int ranks, double skew);

/// Counts in these shares; their sum is ranks * mean.
std::vector<std::size_t> skewed_counts(std::size_t mean, int ranks, double skew);

}  // namespace scalemark::micro
