// SPDX-License-Identifier: Apache-2.0
// Binds this process to its cores and NUMA node, and checks that the binding took effect.
#pragma once

#include <string>

#include "common/hardware/placement/placement.hpp"

namespace scalemark::hardware {

struct Binding {
  bool applied = false;
  CpuSet cpus;          ///< affinity, read back from the kernel
  int numa = -1;        ///< NUMA node of a page touched after binding; -1 if unknown
  std::string problem;  ///< why the binding is not as requested; empty if it is
};

/// Binds all threads of this process to `placement.cpus`, sets the memory policy to prefer
/// `placement.numa`, and reads both back. Never throws: `problem` says what failed, for example in
/// a container that forbids memory policies, or if the topology comes from a file.
Binding bind(const RankPlacement& placement);

/// Binds only the calling thread, and sets its memory policy to the node that it runs on. Threads
/// that it creates later inherit both. Returns false, without any change, if `cpus` is empty or the
/// system refuses.
bool bind_thread(const CpuSet& cpus);

}  // namespace scalemark::hardware
