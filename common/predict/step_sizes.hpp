// SPDX-License-Identifier: Apache-2.0
// A few sizes that stand for steps of many sizes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace scalemark::predict {

struct SizeGroup {
  double size = 0;   ///< mean of the group
  double share = 0;  ///< of all steps
};

/// Divides steps, sorted by size, into at most `groups` of equally many, up to one; steps of one
/// size are one group. A time that grows linearly within each group keeps its mean over all steps.
/// By size, shares sum to 1; empty without sizes. Sizes must be finite.
std::vector<SizeGroup> size_groups(std::span<const double> sizes, std::size_t groups);

}  // namespace scalemark::predict
