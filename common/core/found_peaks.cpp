// SPDX-License-Identifier: Apache-2.0
// Looking up peaks.
#include "common/core/found_peaks.hpp"

#include "common/core/gpu_sheets.hpp"
#include "common/topology/cpu_peak.hpp"
#include "common/topology/gpu_memory.hpp"

namespace scalemark {

topology::Peak FoundPeaks::network(bool sockets) {
  if (!ports_) ports_ = topology::network_ports();
  return topology::network_peak(*ports_, sockets);
}

const topology::GpuLinks& FoundPeaks::gpu_links(const std::string& pci_bus_id) {
  if (!gpu_links_) gpu_links_ = topology::gpu_links(pci_bus_id);
  return *gpu_links_;
}

const topology::Peak& FoundPeaks::gpu_memory(const std::string& model,
                                             const std::string& pci_bus_id) {
  if (!gpu_memory_) {
    gpu_memory_ = sheet_memory(model);
    if (!gpu_memory_->is_known()) gpu_memory_ = topology::gpu_memory_peak(pci_bus_id);
  }
  return *gpu_memory_;
}

const topology::HostMemory& FoundPeaks::host_memory() {
  if (!host_memory_) host_memory_ = topology::read_memory_peak();
  return *host_memory_;
}

const topology::Peak& FoundPeaks::core_flops(const std::string& precision) {
  const auto found = core_flops_.find(precision);
  if (found != core_flops_.end()) return found->second;
  return core_flops_.emplace(precision, topology::read_core_flops(precision)).first->second;
}

}  // namespace scalemark
