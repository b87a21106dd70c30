// SPDX-License-Identifier: Apache-2.0
// Applies a placement to this process and checks that it took effect.
#pragma once

#include <string>

#include "common/hardware/placement/placement.hpp"

namespace scalemark::hardware {

struct Binding {
  bool applied = false;
  CpuSet cpus;          ///< affinity read back from the kernel
  int numa = -1;        ///< NUMA node of a page touched after binding; -1 unknown
  std::string problem;  ///< why it is not as asked; empty if it is
};

/// Binds the whole process (all threads so far) to `placement.cpus` and prefers memory of its NUMA
/// node; then reads both back. Never throws: what did not work stands in `problem` (a container
/// that forbids memory policies, a topology that comes from a file).
Binding bind(const RankPlacement& placement);

/// Binds the calling thread alone, and lets it take memory from the node it runs on; threads that
/// it makes later inherit both. False if the system refuses, or there are no `cpus`: it then stays
/// where it was.
bool bind_thread(const CpuSet& cpus);

}  // namespace scalemark::hardware
