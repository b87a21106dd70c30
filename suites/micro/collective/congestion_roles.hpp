// SPDX-License-Identifier: Apache-2.0
// Which ranks of a job load the network, and which feel it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace scalemark::micro {

/// Two groups of ranks, each in random order; together all ranks.
struct CongestionRoles {
  std::vector<int> victims, congestors;
  bool by_node = false;  ///< whether all ranks of a node are in the same group
};

/// Fewest ranks that can be divided: two in each group.
inline constexpr int kFewestToDivide = 4;

/// Divides a job as GPCNeT does (Chunduri et al., SC19): of the nodes, in random order, the part
/// `share` are congestors; both groups have two at least. A job of fewer than four nodes is divided
/// by ranks instead. `nodes` has each rank's node, at least four of them; equal seeds give equal
/// groups.
CongestionRoles congestion_roles(const std::vector<std::string>& nodes, double share,
                                 std::uint64_t seed);

}  // namespace scalemark::micro
