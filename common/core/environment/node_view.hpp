// SPDX-License-Identifier: Apache-2.0
// The machine as all ranks of a node see it together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/hardware/placement/placement.hpp"
#include "common/mpi/comm.hpp"

namespace scalemark {

struct NodeView {
  hardware::Machine machine;           ///< allowed CPUs and GPUs: what any rank of the node may use
  hardware::PlacementRequest request;  ///< local_ranks and each rank's visible GPUs are set
  std::string problem;  ///< what of this rank's CUDA_VISIBLE_DEVICES was not understood
};

/// Collective over the ranks of a node. A launcher that bound each rank to a core, or gave each a
/// GPU of its own (srun --gpus-per-task, devices hidden by cgroups), has given the node all of
/// these; ranks agree on a placement only if all of them look at the same whole.
/// `cuda_visible_devices` is this rank's variable, if set.
NodeView share_view(const mpi::Comm& node, const hardware::Machine& mine,
                    const std::optional<std::string>& cuda_visible_devices);

/// Collective over the ranks of a node. Ranks whose CPUs are, in part, this rank's, itself
/// included.
int core_sharers(const mpi::Comm& node, const hardware::CpuSet& cpus);

/// The hardware threads in `cpus` of each core that has some, near cores next to each other.
std::vector<hardware::CpuSet> cores_in(const hardware::Machine& machine,
                                       const hardware::CpuSet& cpus);

/// Collective over the ranks of a node. Physical cores in `cpus` for each rank that uses them: all
/// of them if no other rank's CPUs overlap, else this rank's share; at least 1.
int cores_of_rank(const mpi::Comm& node, const hardware::Machine& machine,
                  const hardware::CpuSet& cpus);

}  // namespace scalemark
