// SPDX-License-Identifier: Apache-2.0
// Paths between GPUs, from NVML's NVLinks and the PCI bridges that two GPUs share.
#include "common/hardware/gpu_paths.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "common/hardware/nvlinks.hpp"

namespace scalemark::hardware {
namespace {

/// Number of NVLinks from GPU `from` to GPU `to`, with the ends of both.
std::ptrdiff_t links_between(const Gpu& to, const Nvlinks& of_from, const Nvlinks& of_to) {
  const std::ptrdiff_t direct = std::ranges::count(of_from.ends, to.pci_bus_id);
  const std::ptrdiff_t over_switch = std::min(std::ranges::count(of_from.ends, "switch"),
                                              std::ranges::count(of_to.ends, "switch"));
  return direct + over_switch;
}

}  // namespace

std::string pci_path(const Gpu& a, const Gpu& b) {
  if (a.bridges.empty() || b.bridges.empty()) return "?";
  const auto [last_a, last_b] = std::ranges::mismatch(a.bridges, b.bridges);
  const std::ptrdiff_t shared = last_a - a.bridges.begin();
  if (shared == 0) {
    if (a.numa < 0 || b.numa < 0) return "?";
    return a.numa == b.numa ? "NODE" : "SYS";
  }
  if (shared == 1) return "PHB";
  const std::ptrdiff_t below = std::max(a.bridges.end() - last_a, b.bridges.end() - last_b);
  return below <= 1 ? "PIX" : "PXB";
}

std::vector<std::vector<std::string>> gpu_paths(const Machine& machine,
                                                const std::string& library) {
  const std::vector<Gpu>& gpus = machine.gpus;
  std::vector<Nvlinks> links(gpus.size());
  if (machine.this_system) {  // NVML does not know the machine of a file
    const nvml::Running running(library);
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      nvml::Device* device = running.find(gpus[i].pci_bus_id);
      if (device == nullptr) continue;
      if (auto found = read_nvlinks(running.nvml, device)) links[i] = std::move(*found);
    }
  }
  std::vector<std::vector<std::string>> paths(gpus.size());
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    for (std::size_t j = 0; j < gpus.size(); ++j) {
      const std::ptrdiff_t nvlinks = i == j ? 0 : links_between(gpus[j], links[i], links[j]);
      paths[i].push_back(i == j        ? "X"
                         : nvlinks > 0 ? fmt::format("NV{}", nvlinks)
                                       : pci_path(gpus[i], gpus[j]));
    }
  }
  return paths;
}

}  // namespace scalemark::hardware
