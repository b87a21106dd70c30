// SPDX-License-Identifier: Apache-2.0
// Case keys such as "micro/allreduce backend=mpi ranks=2", without some axes or with mapped values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace scalemark {

/// The key without the given axes.
std::string key_without(std::string_view key, const std::vector<std::string_view>& axes);

/// The words of the key that name the given axes, such as "rows=512 shape=gate".
std::string key_words(std::string_view key, const std::vector<std::string_view>& axes);

/// How values of an axis are matched between the keys of two runs, A and B.
struct AxisMap {
  enum class Kind {
    rename,  ///< A's value `from` matches B's value `to`
    any,     ///< all values match each other
    drop     ///< the axis is ignored
  };
  std::string axis;
  Kind kind = Kind::any;
  std::string from, to;
};

/// Parses "ranks=8->16", "device=*" or "threads=drop". Throws UsageError that quotes the text.
AxisMap parse_axis_map(std::string_view text);

/// The key in the form used for matching. Mapped parts become "ranks=8->16", "device=*" or nothing.
std::string mapped_key(const std::string& key, const std::vector<AxisMap>& maps, bool of_b);

}  // namespace scalemark
