// SPDX-License-Identifier: Apache-2.0
// Peaks that this machine tells of, each looked up once, when it is asked for.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/topology/gpu_links.hpp"
#include "common/topology/links.hpp"
#include "common/topology/memory_peak.hpp"
#include "common/topology/peak.hpp"

namespace scalemark {

class FoundPeaks {
 public:
  /// What this node's network can carry, or that of `sockets`.
  topology::Peak network(bool sockets);
  /// Links of the GPU at an address; that of the first call, since a rank has one.
  const topology::GpuLinks& gpu_links(const std::string& pci_bus_id);
  /// Memory of a GPU: by its data sheet, else by what NVML tells of its clock.
  const topology::Peak& gpu_memory(const std::string& model, const std::string& pci_bus_id);
  /// All memory of this node.
  const topology::HostMemory& host_memory();
  /// flop/s of a core of this machine.
  const topology::Peak& core_flops(const std::string& precision);

 private:
  std::optional<std::vector<topology::NetworkPort>> ports_;
  std::optional<topology::GpuLinks> gpu_links_;
  std::optional<topology::Peak> gpu_memory_;
  std::optional<topology::HostMemory> host_memory_;
  std::map<std::string, topology::Peak> core_flops_;
};

}  // namespace scalemark
