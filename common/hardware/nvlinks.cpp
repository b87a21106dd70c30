// SPDX-License-Identifier: Apache-2.0
// Asks NVML for a GPU's NVLinks.
#include "common/hardware/nvlinks.hpp"

namespace scalemark::hardware {
namespace {

/// Upper limit for the loop over links. NVLink 4 and 5 have 18 per GPU.
constexpr unsigned kMaxLinks = 64;

/// As in Nvlinks::ends.
std::string other_end(const nvml::Library& nvml, nvml::Device* device, unsigned link) {
  unsigned type = nvml::kNvlinkToUnknown;
  if (nvml.nvlink_remote_type == nullptr ||
      nvml.nvlink_remote_type(device, link, &type) != nvml::kSuccess)
    return "";
  if (type == nvml::kNvlinkToSwitch) return "switch";
  if (type == nvml::kNvlinkToHost) return "host";
  nvml::Pci pci{};
  if (type != nvml::kNvlinkToGpu || nvml.nvlink_remote_pci == nullptr ||
      nvml.nvlink_remote_pci(device, link, &pci) != nvml::kSuccess)
    return "";
  return nvml::bus_id(pci);
}

}  // namespace

std::optional<Nvlinks> read_nvlinks(const nvml::Library& nvml, nvml::Device* device) {
  if (nvml.nvlink_state == nullptr) return std::nullopt;
  Nvlinks found;
  for (unsigned link = 0; link < kMaxLinks; ++link) {
    unsigned active = 0;
    const int code = nvml.nvlink_state(device, link, &active);
    // The GPU has no link of this number.
    if (code == nvml::kNotSupported || code == nvml::kInvalidArgument) break;
    if (code != nvml::kSuccess) return std::nullopt;
    if (active == 0) continue;
    found.ends.push_back(other_end(nvml, device, link));
    found.last = link;
  }
  return found;
}

}  // namespace scalemark::hardware
