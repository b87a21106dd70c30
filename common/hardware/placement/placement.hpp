// SPDX-License-Identifier: Apache-2.0
// Chooses GPU, cores and NUMA node for each rank of a node. It computes only and binds nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/hardware/machine.hpp"

namespace scalemark::hardware {

enum class Policy {
  near,    ///< cores near the rank's GPU; without GPUs, NUMA nodes are filled evenly (default)
  spread,  ///< neighbouring ranks as far apart as possible
  packed,  ///< adjacent cores from core 0 on
  wrong_socket,  ///< cores on another package than the GPU's (with one package: another NUMA node)
  none,          ///< assigns GPUs, leaves CPUs as the launcher bound them
};
std::string_view to_string(Policy policy);
/// Throws UsageError that lists the policies.
Policy policy_from(std::string_view text);

/// What placement decides from: the ranks of this node, the policy, and the GPUs that may be used.
struct PlacementRequest {
  int local_ranks = 1;
  Policy policy = Policy::near;
  /// If not `all_gpus`, only `visible_gpus` may be used: indices into Machine::gpus, from
  /// CUDA_VISIBLE_DEVICES.
  bool all_gpus = true;
  std::vector<int> visible_gpus;
  /// One list of usable GPUs per rank, instead of the two above, if the lists differ between ranks.
  /// Ranks with the same list take its GPUs in turn.
  std::vector<std::vector<int>> visible_by_rank;
};

/// Where one rank goes.
struct RankPlacement {
  int gpu = -1;          ///< index into Machine::gpus; -1 for none
  int visible_gpu = -1;  ///< CUDA's index of this GPU, after CUDA_VISIBLE_DEVICES
  CpuSet cpus;           ///< all hardware threads of its cores; empty: do not bind
  int num_cores = 0;     ///< number of physical cores in `cpus`
  int numa = -1;         ///< NUMA node for its memory; -1: do not bind memory
  /// As Machine::this_system: bind() refuses a placement for a machine described by a file.
  bool on_this_system = true;
  /// What the user should know about this placement, for example "shares GPU 0 with 1 other rank"
  /// or "2 ranks on 1 core"; empty if there is nothing unusual.
  std::string note;
};

/// Placement of local ranks 0..n-1; docs/placement.md explains it with five machines as examples.
/// Deterministic. It never fails: if CPUs or GPUs are too few, ranks share them and get a note. The
/// `cpus` of each rank are a subset of machine.allowed. Ranks share cores only if there are fewer
/// cores than ranks. All ranks of a node must call this with the same `allowed`. If the launcher
/// bound each rank differently, pass the union over the node.
std::vector<RankPlacement> place(const Machine& machine, const PlacementRequest& request);

/// Indices into machine.gpus of the GPUs that CUDA shows with this CUDA_VISIBLE_DEVICES; without
/// it, of all. Entries are indices, UUIDs, unique UUID prefixes, or names of MIG instances
/// ("MIG-<uuid>" or "MIG-GPU-<uuid>/<gpu instance>/<compute instance>"). As in CUDA, the list ends
/// at the first invalid entry, and an entry named twice means no GPU. A process sees one MIG
/// instance at most, the first one, and then no other GPU (NVIDIA's MIG user guide, "CUDA device
/// enumeration"). `problem` (optional) receives one line about what was wrong, or an empty text.
std::vector<int> visible_gpus(const Machine& machine,
                              const std::optional<std::string>& cuda_visible_devices,
                              std::string* problem = nullptr);

}  // namespace scalemark::hardware
