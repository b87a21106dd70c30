// SPDX-License-Identifier: Apache-2.0
// What connects a GPU with its host and with others.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "common/hardware/links.hpp"

namespace scalemark::hardware {

struct GpuLinks {
  Peak host;                   ///< to the host's memory: PCIe
  Peak pcie;                   ///< its slot, whatever else there is
  std::optional<int> nvlinks;  ///< that are up; nothing if NVML does not tell
  Peak nvlink;                 ///< all of these
  /// Where all of them lead: "switch", or a GPU's PCI address; empty: to several, or not known.
  std::string nvlink_to;
};

/// Links of the GPU at `pci_bus_id`: PCIe from /sys below `root`, or NVML where /sys does not have
/// the device; NVLink from NVML, whose rate a link is that of the running link. Never throws.
GpuLinks gpu_links(const std::string& pci_bus_id, const std::filesystem::path& root = "/",
                   const std::string& library = "libnvidia-ml.so.1");

/// What a GPU can send to others in the same node, those at `gpus` (itself among them): over its
/// NVLinks if they lead to a switch, or all to the only other one; over PCIe if it has none.
Peak gpu_peer_peak(const GpuLinks& links, std::span<const std::string> gpus);

}  // namespace scalemark::hardware
