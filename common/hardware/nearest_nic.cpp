// SPDX-License-Identifier: Apache-2.0
// Compares PCI paths of network adapters with that of a GPU.
#include "common/hardware/nearest_nic.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace scalemark::hardware {
namespace {

std::size_t shared_bridges(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

}  // namespace

std::string nearest_nic(const Machine& machine, const std::string& gpu_pci, int numa) {
  const auto gpu = std::ranges::find(machine.gpus, gpu_pci, &Gpu::pci_bus_id);
  const bool has_rdma = std::ranges::any_of(machine.nics, &Nic::is_rdma);
  if (gpu != machine.gpus.end() && gpu->numa >= 0) numa = gpu->numa;
  std::string nearest;
  std::size_t most = 0, as_near = 0;
  for (const Nic& nic : machine.nics) {
    if (nic.is_rdma != has_rdma) continue;
    const std::size_t shared =
        gpu == machine.gpus.end() ? 0 : shared_bridges(gpu->bridges, nic.bridges);
    if (shared < most || (shared == 0 && (numa < 0 || nic.numa != numa))) continue;
    as_near = shared > most ? 1 : as_near + 1;
    most = shared;
    nearest = nic.name;
  }
  return as_near == 1 ? nearest : "";
}

}  // namespace scalemark::hardware
