// SPDX-License-Identifier: Apache-2.0
// Paired runs: A and B made side by side in blocks (one job, the same nodes), so that what a block
// does to both cancels.
#pragma once

#include <optional>
#include <span>

#include "common/stats/moderated.hpp"

namespace scalemark::stats {

/// The differences B - A of the blocks of one row.
struct BlockContrast {
  double difference = 0;  ///< mean over blocks
  int blocks = 0;
  double variance = 0;  ///< of one block's difference; NaN for one block

  int df() const { return blocks - 1; }
  SampleVariance sample() const { return {variance, static_cast<double>(df())}; }
};

/// a[i] and b[i] are of block i. A block where one of them is not finite is left out; nothing if
/// none is left or the sides differ in length.
std::optional<BlockContrast> block_contrast(std::span<const double> a, std::span<const double> b);

/// Variance of the row shrunk towards the prior of the rows' differences (fit_prior() of sample()).
/// With a prior of no degrees of freedom this is the paired t-test.
Estimate moderated(const BlockContrast& row, const Prior& prior, double df_limit);

}  // namespace scalemark::stats
