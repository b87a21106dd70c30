// SPDX-License-Identifier: Apache-2.0
// Canonical keys of cases, "micro/allreduce backend=mpi ranks=2", with axes left out or made equal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace scalemark {

/// The key without some of its axes.
std::string key_without(std::string_view key, const std::vector<std::string_view>& axes);

/// How the values of one axis are matched between the keys of two sides.
struct AxisMap {
  enum class Kind {
    rename,  ///< A's value `from` matches B's value `to`
    any,     ///< every value matches every other
    drop     ///< as if no key had the axis
  };
  std::string axis;
  Kind kind = Kind::any;
  std::string from, to;
};

/// "ranks=8->16", "device=*", "threads=drop". Throws UsageError that quotes the text.
AxisMap parse_axis_map(std::string_view text);

/// The key as it is matched: its parts may become "ranks=8->16", "device=*" or nothing.
std::string mapped_key(const std::string& key, const std::vector<AxisMap>& maps, bool of_b);

}  // namespace scalemark
