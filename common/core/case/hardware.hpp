// SPDX-License-Identifier: Apache-2.0
// The devices, CPUs and node that a rank of a case works with.
#pragma once

#include <optional>
#include <vector>

#include "common/core/case/context.hpp"
#include "common/device/device.hpp"
#include "common/hardware/machine.hpp"

namespace scalemark {

class CaseHardware {
 public:
  explicit CaseHardware(const CaseContext& context) : context_(context) {}

  /// The device of axis `device`, or, for communication, of axis `memory` (host or device). Skips
  /// the case where a rank has none.
  device::Device& device() const;
  /// The device that works: the GPU where the benchmark states so, else device().
  device::Device& working() const;
  device::Stream& stream() const;  ///< of device()
  bool is_on_gpu() const;          ///< whether device() is a GPU
  device::Device& host() const;
  /// This rank's GPU, whatever the axes say. Skips the case where a rank has none.
  device::Device& gpu() const;
  /// Collective. Energy in joules used so far by the devices of this case: this rank's share of the
  /// sum over all ranks (each counter is read by one rank). Empty unless all counters are readable.
  std::optional<double> energy() const;

  /// Compute threads of this rank (axis `threads`, else the cores bound to it).
  int threads() const;
  /// For each compute thread, the hardware threads of its core. Empty where this rank has fewer
  /// cores of its own than threads.
  std::vector<hardware::CpuSet> thread_cpus() const;
  /// This node.
  const hardware::Machine& machine() const;
  /// NUMA node of memory that this rank touches; -1 if unknown.
  int numa_node() const;
  /// Where a rank of this case runs; known on rank 0 only.
  const RankInfo& place(int rank) const;
  /// CPU sets of the ranks on this node that are idle during this case, one set per rank. Known on
  /// the job's first rank only, for single-process benchmarks.
  std::vector<hardware::CpuSet> sleeping_cpus() const;

 private:
  const CaseContext& context_;
};

}  // namespace scalemark
