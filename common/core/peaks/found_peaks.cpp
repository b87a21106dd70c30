// SPDX-License-Identifier: Apache-2.0
// Looking up peaks.
#include "common/core/peaks/found_peaks.hpp"

#include "common/core/peaks/gpu_sheets.hpp"
#include "common/hardware/peaks/cpu_peak.hpp"
#include "common/hardware/peaks/gpu_memory.hpp"

namespace scalemark {

hardware::Peak FoundPeaks::network(bool sockets) {
  if (!ports_) ports_ = hardware::network_ports();
  return hardware::network_peak(*ports_, sockets);
}

const hardware::GpuLinks& FoundPeaks::gpu_links(const std::string& pci_bus_id) {
  if (!gpu_links_) gpu_links_ = hardware::gpu_links(pci_bus_id);
  return *gpu_links_;
}

const hardware::Peak& FoundPeaks::gpu_memory(const std::string& model,
                                             const std::string& pci_bus_id) {
  if (!gpu_memory_) {
    gpu_memory_ = sheet_memory(model);
    if (!gpu_memory_->is_known()) gpu_memory_ = hardware::gpu_memory_peak(pci_bus_id);
  }
  return *gpu_memory_;
}

const hardware::HostMemory& FoundPeaks::host_memory() {
  if (!host_memory_) host_memory_ = hardware::read_memory_peak();
  return *host_memory_;
}

const hardware::Peak& FoundPeaks::core_flops(const std::string& precision) {
  const auto found = core_flops_.find(precision);
  if (found != core_flops_.end()) return found->second;
  return core_flops_.emplace(precision, hardware::read_core_flops(precision)).first->second;
}

}  // namespace scalemark
