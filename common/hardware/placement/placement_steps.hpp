// SPDX-License-Identifier: Apache-2.0
// The steps of place(), private to it: GPUs, then NUMA nodes, then cores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/hardware/placement/placement.hpp"

namespace scalemark::hardware {

/// A core that may be used.
struct UsableCore {
  int numa;
  CpuSet cpus;
};

/// The part of a machine that this process may use.
struct Usable {
  const Machine* machine;
  /// cores with at least one allowed hardware thread, in the machine's order
  std::vector<UsableCore> cores;
  /// NUMA nodes with at least one such core, in the machine's order
  std::vector<const NumaNode*> nodes;

  /// Physical cores of this NUMA node that may be used.
  std::size_t num_cores(int node) const;
};
Usable usable_part(const Machine& machine);

/// Sets gpu and visible_gpu.
void assign_gpus(const Machine& machine, const PlacementRequest& request,
                 std::vector<RankPlacement>& ranks);
/// Sets numa, from the NUMA node of the GPU and the policy. A node gets more ranks than it has
/// cores only if the whole machine has fewer cores than ranks.
void assign_nodes(const Usable& usable, Policy policy, std::vector<RankPlacement>& ranks);
/// Sets cpus and num_cores: divides the cores of each node among its ranks.
void divide_nodes(const Usable& usable, std::vector<RankPlacement>& ranks);
/// Policy packed: sets numa, cpus and num_cores.
void pack(const Usable& usable, std::vector<RankPlacement>& ranks);

/// NUMA node of the rank's GPU; -1 if it has no GPU or the node is unknown.
int gpu_node(const Machine& machine, const RankPlacement& rank);
void add_note(RankPlacement& rank, const std::string& text);

/// Takes one item of each group in turn: {{0,1,2},{3}} gives 0,3,1,2.
std::vector<std::size_t> take_turns(const std::vector<std::vector<std::size_t>>& groups);

}  // namespace scalemark::hardware
