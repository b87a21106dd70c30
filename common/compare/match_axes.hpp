// SPDX-License-Identifier: Apache-2.0
// Makes keys from different machines comparable (--map): drops axes, or equates a value in A with
// one in B.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/key.hpp"
#include "common/compare/digest.hpp"

namespace scalemark::compare {

/// Checks that each map has an effect. Throws UsageError if no case has the axis, or if a renamed
/// value does not occur on its side.
void check_axis_maps(const std::vector<AxisMap>& maps, const std::vector<RunDigest>& a,
                     const std::vector<RunDigest>& b);

/// Maps the keys of all runs of a side. Throws UsageError if two cases of a run get the same key,
/// and names both.
void map_side(std::vector<RunDigest>& side, const std::vector<AxisMap>& maps, bool of_b);

}  // namespace scalemark::compare
