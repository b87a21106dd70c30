// SPDX-License-Identifier: Apache-2.0
// Selects the NUMA node for axis `numa` on this machine.
#pragma once

#include <string>
#include <string_view>

#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "common/hardware/machine.hpp"

namespace scalemark::micro {

/// OS index of a node, or the reason why there is none.
struct NumaChoice {
  int node = -1;       ///< -1: the kernel chooses the node
  std::string reason;  ///< reason to skip the case; empty if a node was found or none is needed
};

/// `wanted`: local (`own`, the node of the rank's memory; -1 unknown), remote (the farthest other
/// node with memory, by the firmware's distances; the first if there are several), or an OS index.
NumaChoice choose_numa(const hardware::Machine& machine, int own, std::string_view wanted);

/// NUMA distance from the firmware (10: same node); 0 if unknown.
std::uint64_t numa_distance(const hardware::Machine& machine, int from, int to);

/// Collective. Selects the node for axis `numa`. Records the fact numa_node, and numa_distance if
/// the firmware reports it. Skips the case if a rank has no such node.
NumaChoice require_numa(Case& c);

/// Declares axis `numa`: local, remote, 0 to 15.
void numa_axis(Benchmark& benchmark);

}  // namespace scalemark::micro
