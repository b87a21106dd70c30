// SPDX-License-Identifier: Apache-2.0
// Peak rates of a GPU's links: PCIe, NVLink, and the path to host memory.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "common/hardware/links.hpp"

namespace scalemark::hardware {

struct GpuLinks {
  Peak host;  ///< between the GPU and host memory
  Peak pcie;  ///< of the PCIe slot, even if the GPU reaches host memory another way
  std::optional<int> nvlinks;  ///< number of NVLinks that are up; empty if NVML does not report it
  Peak nvlink;                 ///< sum over the NVLinks that are up
  /// Other end of all NVLinks: "switch", "host", or a GPU's PCI address. Empty if they lead to
  /// different ends, or if NVML does not report it.
  std::string nvlink_to;
};

/// Peak rates of the links of the GPU at `pci_bus_id`. PCIe comes from /sys below `root`, or from
/// NVML if /sys does not list the device, or hides the port above it. NVLink comes from NVML:
/// current rate per link x number of links that are up. Never throws.
GpuLinks gpu_links(const std::string& pci_bus_id, const std::filesystem::path& root = "/",
                   const std::string& library = "libnvidia-ml.so.1");

/// Peak rate from a GPU to other GPUs of its node. `gpus`: PCI addresses of all GPUs of the node,
/// this one included. NVLink counts if all links lead to a switch, or to the only other GPU; PCIe
/// counts if no NVLink is up. Otherwise the rate is unknown.
Peak gpu_peer_peak(const GpuLinks& links, std::span<const std::string> gpus);

}  // namespace scalemark::hardware
