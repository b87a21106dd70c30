// SPDX-License-Identifier: Apache-2.0
// Which GPU, cores and NUMA node each rank of a node gets: a pure function.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/hardware/machine.hpp"

namespace scalemark::hardware {

enum class Policy {
  near,          ///< cores next to the rank's GPU; without GPUs: NUMA nodes filled evenly (default)
  spread,        ///< ranks as far apart as the machine allows
  packed,        ///< ranks side by side from core 0 on
  wrong_socket,  ///< cores on another package (or, with one, another NUMA node) than the GPU
  none,          ///< GPUs are assigned, CPUs are left as the launcher set them
};
std::string_view to_string(Policy policy);
/// Throws UsageError that lists the policies.
Policy policy_from(std::string_view text);

struct PlacementRequest {
  int local_ranks = 1;
  Policy policy = Policy::near;
  /// GPUs that may be used, as indices into Machine::gpus (from CUDA_VISIBLE_DEVICES); all if
  /// `all_gpus`.
  bool all_gpus = true;
  std::vector<int> visible_gpus;
  /// Where ranks differ in what they may use (each has a GPU of its own, say): one list a rank, in
  /// place of the two above. A rank takes its turn among those with the same list.
  std::vector<std::vector<int>> visible_by_rank;
};

struct RankPlacement {
  int gpu = -1;          ///< index into Machine::gpus; -1 = none
  int visible_gpu = -1;  ///< the same as CUDA counts it after CUDA_VISIBLE_DEVICES
  CpuSet cpus;           ///< all hardware threads of its cores; empty = leave as it is
  int num_cores = 0;     ///< physical cores among them
  int numa = -1;         ///< NUMA node for its memory
  /// As Machine::this_system: bind() refuses a placement that was made for a described machine.
  bool on_this_system = true;
  /// What a careful engineer would want to know: "shares GPU 0 with 1 other rank",
  /// "more ranks than cores", "no core near the GPU is allowed". Empty if all is as it should be.
  std::string note;
};

/// Placement of local ranks 0..n-1; docs/placement.md says how, and what five machines give.
/// Deterministic; never fails: restrictions lead to sharing, with a note. Every rank's cpus are a
/// subset of machine.allowed; no two ranks share a core unless there are fewer cores than ranks.
/// Ranks of one node agree only if all pass the same `allowed`: where a launcher has bound each
/// rank differently, pass the union over the node.
std::vector<RankPlacement> place(const Machine& machine, const PlacementRequest& request);

/// Resolves the text of CUDA_VISIBLE_DEVICES (indices, UUIDs, UUID prefixes; stops at the first
/// invalid entry as CUDA does; none at all when a GPU is named twice) to indices into machine.gpus.
/// `problem`, if given, gets one line on what was not understood, or becomes empty.
std::vector<int> visible_gpus(const Machine& machine, const std::string& cuda_visible_devices,
                              std::string* problem = nullptr);

}  // namespace scalemark::hardware
