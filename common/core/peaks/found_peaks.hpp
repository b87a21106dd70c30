// SPDX-License-Identifier: Apache-2.0
// Peaks that this machine tells of, each looked up once, when it is asked for.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/hardware/gpu_links.hpp"
#include "common/hardware/links.hpp"
#include "common/hardware/peaks/memory_peak.hpp"
#include "common/hardware/peaks/peak.hpp"

namespace scalemark {

class FoundPeaks {
 public:
  /// What this node's network can carry, or that of `sockets`.
  hardware::Peak network(bool sockets);
  /// Links of the GPU at an address; that of the first call, since a rank has one.
  const hardware::GpuLinks& gpu_links(const std::string& pci_bus_id);
  /// Memory of a GPU: by its data sheet, else by what NVML tells of its clock.
  const hardware::Peak& gpu_memory(const std::string& model, const std::string& pci_bus_id);
  /// All memory of this node.
  const hardware::HostMemory& host_memory();
  /// flop/s of a core of this machine.
  const hardware::Peak& core_flops(const std::string& precision);

 private:
  std::optional<std::vector<hardware::NetworkPort>> ports_;
  std::optional<hardware::GpuLinks> gpu_links_;
  std::optional<hardware::Peak> gpu_memory_;
  std::optional<hardware::HostMemory> host_memory_;
  std::map<std::string, hardware::Peak> core_flops_;
};

}  // namespace scalemark
