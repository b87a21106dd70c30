// SPDX-License-Identifier: Apache-2.0
// Paired runs: A and B run side by side in blocks (same job, same nodes), so that effects of a
// block on both cancel.
#pragma once

#include <optional>
#include <span>

#include "common/stats/moderated.hpp"

namespace scalemark::stats {

/// Summary of the differences B - A over the blocks of one row.
struct BlockContrast {
  double difference = 0;  ///< mean over blocks
  int blocks = 0;
  double variance = 0;  ///< variance of the difference of one block; NaN for a single block

  int df() const { return blocks - 1; }
  SampleVariance sample() const { return {variance, static_cast<double>(df())}; }
};

/// Summary of b[i] - a[i], where i is the block. Blocks with a value that is not finite are left
/// out. Nothing if none remains, or if the lengths differ.
std::optional<BlockContrast> block_contrast(std::span<const double> a, std::span<const double> b);

/// Estimate with the row's variance shrunk towards `prior`, which is fit_prior() of all rows'
/// sample(). With a prior of zero degrees of freedom it is the paired t-test.
Estimate moderated(const BlockContrast& row, const Prior& prior, double df_limit);

}  // namespace scalemark::stats
