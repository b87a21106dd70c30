// SPDX-License-Identifier: Apache-2.0
// Reads GPUs and energy counters from NVML.
#include "common/hardware/nvml.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/hardware/nvml_library.hpp"

namespace scalemark::hardware {
namespace {

/// UUIDs of the MIG instances of a device; empty if it is not divided.
std::vector<std::string> instances_of(const nvml::Library& nvml, nvml::Device* device) {
  constexpr unsigned kMaxInstances = 64;
  unsigned places = 0;
  if (!nvml.max_mig_count || !nvml.mig_device ||
      nvml.max_mig_count(device, &places) != nvml::kSuccess)
    return {};
  std::vector<std::string> uuids;
  for (unsigned place = 0; place < std::min(places, kMaxInstances); ++place) {
    nvml::Device* instance = nullptr;
    if (nvml.mig_device(device, place, &instance) != nvml::kSuccess) continue;  // a free place
    uuids.push_back(nvml::text_of(nvml.uuid, instance));
  }
  return uuids;
}

void read_devices(const nvml::Library& nvml, unsigned count, NvmlState& state) {
  for (unsigned index = 0; index < count; ++index) {
    nvml::Device* device = nullptr;
    nvml::Pci pci{};
    int code = nvml.device(index, &device);
    if (code == nvml::kSuccess) code = nvml.pci(device, &pci);
    if (code != nvml::kSuccess) {
      // The device fell off the bus or belongs to other users: CUDA cannot use it either.
      state.problem =
          fmt::format("NVML device {}: {}", index, text::printable(nvml.error_text(code), 200));
      continue;
    }
    NvmlGpu gpu;
    gpu.pci_bus_id = nvml::bus_id(pci);
    gpu.uuid = nvml::text_of(nvml.uuid, device);
    gpu.name = nvml::text_of(nvml.name_of, device);
    nvml::Memory memory{};
    if (nvml.memory(device, &memory) == nvml::kSuccess) gpu.memory_bytes = memory.total;
    gpu.instances = instances_of(nvml, device);
    state.gpus.push_back(std::move(gpu));
  }
  std::ranges::sort(state.gpus, {}, &NvmlGpu::pci_bus_id);
}

}  // namespace

NvmlState read_nvml(const std::string& library) {
  NvmlState state;
  const nvml::Running running(library);
  const nvml::Library& nvml = running.nvml;
  state.problem = running.problem;
  if (!state.problem.empty()) return state;
  unsigned count = 0;
  const int code = nvml.count(&count);
  state.available = code == nvml::kSuccess;
  if (state.available) {
    state.driver_version = nvml::text_of(nvml.driver_version);
    read_devices(nvml, count, state);
  } else {
    state.problem =
        fmt::format("NVML cannot count the GPUs: {}", text::printable(nvml.error_text(code), 200));
  }
  return state;
}

struct NvmlEnergy::State {
  State(const std::string& pci_bus_id, const std::string& library)
      : running(library), device(running.find(pci_bus_id)) {}
  nvml::Running running;
  nvml::Device* device;
};

NvmlEnergy::NvmlEnergy(const std::string& pci_bus_id, const std::string& library)
    : state_(std::make_unique<State>(pci_bus_id, library)) {}

NvmlEnergy::~NvmlEnergy() = default;

std::optional<double> NvmlEnergy::joules() const {
  unsigned long long millijoules = 0;
  if (state_->device == nullptr ||
      state_->running.nvml.energy(state_->device, &millijoules) != nvml::kSuccess)
    return std::nullopt;
  return static_cast<double>(millijoules) * 1e-3;
}

void add_nvml(Machine& machine, const NvmlState& nvml) {
  machine.nvml_problem = nvml.problem;
  machine.driver_version = nvml.driver_version;
  if (!nvml.available) return;
  std::vector<Gpu> gpus;
  for (const NvmlGpu& one : nvml.gpus) {
    Gpu gpu;
    const auto seen = std::ranges::find(machine.gpus, one.pci_bus_id, &Gpu::pci_bus_id);
    if (seen != machine.gpus.end()) gpu = *seen;
    gpu.index = static_cast<int>(gpus.size());
    gpu.pci_bus_id = one.pci_bus_id;
    gpu.uuid = one.uuid;
    if (!one.name.empty()) gpu.name = one.name;
    if (one.memory_bytes > 0) gpu.memory_bytes = one.memory_bytes;
    gpu.instances = one.instances;
    gpus.push_back(std::move(gpu));
  }
  machine.gpus = std::move(gpus);
}

}  // namespace scalemark::hardware
