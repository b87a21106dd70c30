// SPDX-License-Identifier: Apache-2.0
// Keys of different machines made equal: axes are left out, or a value of A stands for one of B.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/key.hpp"
#include "common/compare/digest.hpp"

namespace scalemark::compare {

/// Throws UsageError for a map that would do nothing: no case of A or B has its axis, or none of A
/// (B) the value that it names for A (B).
void check_axis_maps(const std::vector<AxisMap>& maps, const std::vector<RunDigest>& a,
                     const std::vector<RunDigest>& b);

/// Renames the rows of all runs of a side. Throws UsageError that names both where two cases of a
/// run get one key: which of them to compare is for the user to say.
void map_side(std::vector<RunDigest>& side, const std::vector<AxisMap>& maps, bool of_b);

}  // namespace scalemark::compare
