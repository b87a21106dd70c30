// SPDX-License-Identifier: Apache-2.0
// The steps of place(), used by nobody else: GPUs, then NUMA nodes, then cores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/hardware/placement/placement.hpp"

namespace scalemark::hardware {

/// A core with the threads of it that may be used.
struct UsableCore {
  int numa;
  CpuSet cpus;
};

/// What of a machine this job may use.
struct Usable {
  const Machine* machine;
  std::vector<UsableCore> cores;       ///< with at least one allowed thread, in the machine's order
  std::vector<const NumaNode*> nodes;  ///< with at least one such core, in the machine's order

  std::size_t num_cores(int node) const;
};
Usable usable_part(const Machine& machine);

/// Sets gpu and visible_gpu.
void assign_gpus(const Machine& machine, const PlacementRequest& request,
                 std::vector<RankPlacement>& ranks);
/// Sets numa, from the GPU's node and the policy. No node gets more ranks than cores unless the
/// whole machine has fewer cores than ranks.
void assign_nodes(const Usable& usable, Policy policy, std::vector<RankPlacement>& ranks);
/// Divides the cores of each node among its ranks: sets cpus and num_cores.
void divide_nodes(const Usable& usable, std::vector<RankPlacement>& ranks);
/// Policy packed: sets numa, cpus and num_cores.
void pack(const Usable& usable, std::vector<RankPlacement>& ranks);

/// NUMA node of the rank's GPU; -1 without GPU or when it is unknown.
int gpu_node(const Machine& machine, const RankPlacement& rank);
void add_note(RankPlacement& rank, const std::string& text);

/// Takes one item of each group in turn: {{0,1,2},{3}} gives 0,3,1,2.
std::vector<std::size_t> take_turns(const std::vector<std::vector<std::size_t>>& groups);

}  // namespace scalemark::hardware
