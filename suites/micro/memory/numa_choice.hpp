// SPDX-License-Identifier: Apache-2.0
// Which NUMA node axis `numa` means on this machine.
#pragma once

#include <string>
#include <string_view>

#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "common/hardware/machine.hpp"

namespace scalemark::micro {

/// A node's OS index, or why there is none.
struct NumaChoice {
  int node = -1;       ///< -1: memory goes where the kernel puts it
  std::string reason;  ///< of the skipped row; empty if there is a node, or none is needed
};

/// `wanted`: local (`own`, the node of the rank's memory; -1 unknown), remote (of the others with
/// memory the farthest by the firmware's distances; the first of several), or an OS index.
NumaChoice choose_numa(const hardware::Machine& machine, int own, std::string_view wanted);

/// Distance from `from` to `to` as the firmware states it (10: the same node); 0 unknown.
std::uint64_t numa_distance(const hardware::Machine& machine, int from, int to);

/// Collective. The choice of axis `numa`; notes fact numa_node, and numa_distance where the
/// firmware tells it. Skips the case where a rank has none.
NumaChoice require_numa(Case& c);

/// Declares axis `numa`: local, remote, 0 to 15.
void numa_axis(Benchmark& benchmark);

}  // namespace scalemark::micro
