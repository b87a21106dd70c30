// SPDX-License-Identifier: Apache-2.0
// Reads a GPU's NVLinks, and PCIe where /sys has none, from NVML.
#include "common/hardware/gpu_links.hpp"

#include <algorithm>
#include <array>
#include <system_error>

#include <fmt/format.h>

#include "common/hardware/nvlinks.hpp"
#include "common/hardware/nvml_library.hpp"

namespace scalemark::hardware {
namespace {

constexpr double kMaxMegabytes = 1e6;
constexpr const char* kNotTold = "NVML does not report whether the GPU has NVLinks";

/// Rate of one NVLink per direction, in GB/s, by nvmlNvlinkVersion_t (which is not the NVLink
/// version number). Rate = lanes x signalling rate (Gb/s) / 8: 8 lanes of 20 (NVLink 1) or 25
/// (NVLink 2), 4 of 50 (NVLink 3), 2 of 106.25 (NVLink 4) or 212.5 (NVLink 5). The rates that NVML
/// reports are signalling rates, too.
double link_gigabytes(unsigned version) {
  static constexpr std::array kByVersion = {0.0, 20.0, 25.0, 25.0, 25.0, 25.0, 26.5625, 53.125};
  return version < kByVersion.size() ? kByVersion.at(version) : 0;
}

/// Common current rate in MB/s of the links that are up; 0 if NVML reports none.
double common_megabytes(const nvml::Library& nvml, nvml::Device* device) {
  nvml::FieldValue field{};
  field.field = nvml::kNvlinkSpeedCommon;
  if (nvml.field_values == nullptr || nvml.field_values(device, 1, &field) != nvml::kSuccess ||
      field.result != nvml::kSuccess || field.type != nvml::kUnsignedInt)
    return 0;
  const double megabytes = field.value.unsigned_int;
  return megabytes <= kMaxMegabytes ? megabytes : 0;
}

double gigabytes_a_link(const nvml::Library& nvml, nvml::Device* device, unsigned link) {
  if (const double told = common_megabytes(nvml, device); told > 0) return told * 1e-3;
  unsigned version = 0;
  if (nvml.nvlink_version == nullptr ||
      nvml.nvlink_version(device, link, &version) != nvml::kSuccess)
    return 0;
  return link_gigabytes(version);
}

void add_nvlinks(const nvml::Library& nvml, nvml::Device* device, GpuLinks& links) {
  const std::optional<Nvlinks> found = read_nvlinks(nvml, device);
  if (!found) return;
  const std::vector<std::string>& ends = found->ends;
  const auto up = static_cast<int>(ends.size());
  links.nvlinks = up;
  links.nvlink.missing = up == 0 ? "the GPU has no NVLink that is up" : "";
  if (up == 0) return;
  if (std::ranges::count(ends, "host") > 0)
    links.host = {0, {}, "NVLink to the CPU, with an unknown number of links"};
  if (std::ranges::count(ends, ends.front()) == up) links.nvlink_to = ends.front();
  const double gigabytes = gigabytes_a_link(nvml, device, found->last);
  if (gigabytes <= 0) {
    links.nvlink.missing = "NVML does not report the speed of the GPU's NVLinks";
    return;
  }
  links.nvlink.value = up * gigabytes * 1e9;
  links.nvlink.source = fmt::format("NVLink {} x {:.5g} GB/s, theoretical", up, gigabytes);
}

struct PcieLink {
  unsigned generation, width;
  bool operator==(const PcieLink&) const = default;
};

using PcieQuery = decltype(nvml::Library::pcie_width);

std::optional<PcieLink> pcie_link(nvml::Device* device, PcieQuery generation, PcieQuery width) {
  PcieLink link{};
  if (generation == nullptr || width == nullptr ||
      generation(device, &link.generation) != nvml::kSuccess ||
      width(device, &link.width) != nvml::kSuccess)
    return std::nullopt;
  return link;
}

Peak pcie_by_nvml(const nvml::Library& nvml, nvml::Device* device) {
  static constexpr std::array kGigatransfers = {0.0, 2.5, 5.0, 8.0, 16.0, 32.0, 64.0};
  // The highest generation and width that GPU, port and system all support.
  const auto most = pcie_link(device, nvml.max_pcie_generation, nvml.max_pcie_width);
  if (!most || most->generation >= kGigatransfers.size() || most->width > 32)
    return {0, {}, "neither /sys nor NVML reports the GPU's PCIe link"};
  return pcie_rate(kGigatransfers.at(most->generation), static_cast<int>(most->width));
}

/// A virtual machine may hide the real port above a GPU. What NVML calls the highest link is then
/// the GPU's own. It is the peak if the link runs at it; an idle link may run slower.
bool runs_at_its_highest(const nvml::Library& nvml, nvml::Device* device) {
  const auto now = pcie_link(device, nvml.pcie_generation, nvml.pcie_width);
  return now && now == pcie_link(device, nvml.max_pcie_generation, nvml.max_pcie_width);
}

/// Whether GPU and CPU share a package (Grace Hopper and later), connected by NVLink-C2C.
bool has_c2c(const nvml::Library& nvml, nvml::Device* device) {
  nvml::C2cMode mode{};
  return nvml.c2c_mode != nullptr && nvml.c2c_mode(device, &mode) == nvml::kSuccess &&
         mode.enabled != 0;
}

}  // namespace

GpuLinks gpu_links(const std::string& pci_bus_id, const std::filesystem::path& root,
                   const std::string& library) {
  GpuLinks links;
  links.host = links.pcie = pcie_peak(pci_bus_id, root);
  links.nvlink.missing = kNotTold;
  const nvml::Running running(library);
  nvml::Device* device = running.find(pci_bus_id);
  if (device == nullptr) return links;
  std::error_code error;
  if (!std::filesystem::exists(root / "sys/bus/pci/devices" / pci_bus_id, error) ||
      (!links.pcie.is_known() && runs_at_its_highest(running.nvml, device)))
    links.host = links.pcie = pcie_by_nvml(running.nvml, device);
  if (has_c2c(running.nvml, device))
    links.host = {0, {}, "NVLink-C2C to the CPU, at an unknown rate"};
  add_nvlinks(running.nvml, device, links);
  return links;
}

Peak gpu_peer_peak(const GpuLinks& links, std::span<const std::string> gpus) {
  if (!links.nvlinks) return {0, {}, kNotTold};
  if (*links.nvlinks == 0) return links.pcie;
  const bool one_other = gpus.size() == 2 && std::ranges::count(gpus, links.nvlink_to) == 1;
  if (links.nvlink_to == "switch" || one_other) return links.nvlink;
  return {0, {}, "not all of the GPU's NVLinks lead to a switch, or to the only other GPU"};
}

}  // namespace scalemark::hardware
