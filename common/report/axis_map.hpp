// SPDX-License-Identifier: Apache-2.0
// Keys of different machines made equal: axes are left out, or a value of A stands for one of B.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/report/digest.hpp"

namespace scalemark::report {

/// What happens to one axis of the keys.
struct AxisMap {
  enum class Kind {
    rename,  ///< A's value `from` and B's value `to` become one
    any,     ///< whatever value it has
    drop     ///< as if no key had it
  };
  std::string axis;
  Kind kind = Kind::any;
  std::string from, to;
};

/// "ranks=8->16", "device=*", "threads=drop". Throws UsageError that quotes the text.
AxisMap parse_axis_map(std::string_view text);

/// Throws UsageError for a map that would do nothing: no case of A or B has its axis, or none of A
/// (B) the value that it names for A (B).
void check_axis_maps(const std::vector<AxisMap>& maps, const std::vector<RunDigest>& a,
                     const std::vector<RunDigest>& b);

/// The key as it is matched: "ranks=8->16", "device=*", nothing.
std::string mapped_key(const std::string& key, const std::vector<AxisMap>& maps, bool of_b);

/// Renames the rows of all runs of a side. Throws UsageError that names both where two cases of a
/// run get one key: which of them to compare is for the user to say.
void map_side(std::vector<RunDigest>& side, const std::vector<AxisMap>& maps, bool of_b);

}  // namespace scalemark::report
