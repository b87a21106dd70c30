// SPDX-License-Identifier: Apache-2.0
// Which GPU, cores and NUMA node each rank of a node gets: a pure function.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/topology/machine.hpp"

namespace scalemark::topology {

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
};

struct RankPlacement {
  int gpu = -1;          ///< index into Machine::gpus; -1 = none
  int visible_gpu = -1;  ///< the same as CUDA counts it after CUDA_VISIBLE_DEVICES
  CpuSet cpus;           ///< all hardware threads of its cores; empty = leave as it is
  int num_cores = 0;     ///< physical cores among them
  int numa = -1;         ///< NUMA node for its memory
  /// What a careful engineer would want to know: "shares GPU 0 with 1 other rank",
  /// "more ranks than cores", "no core near the GPU is allowed". Empty if all is as it should be.
  std::string note;
};

/// Placement of local ranks 0..n-1. Deterministic; never fails: restrictions lead to sharing, with
/// a note. Every rank's cpus are a subset of machine.allowed.
std::vector<RankPlacement> place(const Machine& machine, const PlacementRequest& request);

/// Resolves the text of CUDA_VISIBLE_DEVICES (indices, UUIDs, UUID prefixes; stops at the first
/// invalid entry as CUDA does) to indices into machine.gpus.
std::vector<int> visible_gpus(const Machine& machine, const std::string& cuda_visible_devices);

}  // namespace scalemark::topology
