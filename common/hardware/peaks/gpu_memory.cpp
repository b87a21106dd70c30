// SPDX-License-Identifier: Apache-2.0
// Reads clock and bus width of a GPU's memory from NVML.
#include "common/hardware/peaks/gpu_memory.hpp"

#include <fmt/format.h>

#include "common/hardware/nvml_library.hpp"

namespace scalemark::hardware {
namespace {

constexpr unsigned kMaxMegahertz = 100'000, kMaxBusBits = 1 << 20;

bool is_divided(const nvml::Library& nvml, nvml::Device* device) {
  unsigned now = 0, later = 0;
  return nvml.mig_mode != nullptr && nvml.mig_mode(device, &now, &later) == nvml::kSuccess &&
         now != 0;
}

}  // namespace

Peak gpu_memory_peak(const std::string& pci_bus_id, const std::string& library) {
  const nvml::Running running(library);
  const nvml::Library& nvml = running.nvml;
  nvml::Device* device = running.find(pci_bus_id);
  if (device == nullptr) return unknown_peak("NVML does not list the GPU");
  if (is_divided(nvml, device)) return unknown_peak("the GPU is divided (MIG)");
  unsigned megahertz = 0, bits = 0;
  if (nvml.max_clock == nullptr || nvml.memory_bus_width == nullptr ||
      nvml.max_clock(device, nvml::kMemoryClock, &megahertz) != nvml::kSuccess ||
      nvml.memory_bus_width(device, &bits) != nvml::kSuccess || megahertz == 0 || bits == 0 ||
      megahertz > kMaxMegahertz || bits > kMaxBusBits)
    return unknown_peak("NVML does not report the clock and width of the GPU's memory");
  return {megahertz * 1e6 * 2 * bits / 8,
          fmt::format("memory of {} bits x 2 x {} MHz, theoretical", bits, megahertz),
          {}};
}

}  // namespace scalemark::hardware
