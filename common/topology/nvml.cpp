// SPDX-License-Identifier: Apache-2.0
// NVML through dlopen, with the few declarations that are needed: its header is not in the toolkit
// wheels.
#include "common/topology/nvml.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include <dlfcn.h>
#include <fmt/format.h>

#include "common/base/text.hpp"

namespace scalemark::topology {
namespace {

// nvmlPciInfo_t and nvmlMemory_t of the NVML API reference; their layout is part of its ABI.
struct NvmlDevice;
struct NvmlPci {
  char bus_id_legacy[16];
  unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
  char bus_id[32];
};
struct NvmlMemory {
  unsigned long long total, free, used;
};
constexpr int kSuccess = 0;

class Library {
 public:
  explicit Library(const std::string& name) : handle_(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (!handle_) problem = fmt::format("{} cannot be loaded: {}", name, last_error());
    load(init, "nvmlInit_v2");
    load(shutdown, "nvmlShutdown");
    load(error_text, "nvmlErrorString");
    load(driver_version, "nvmlSystemGetDriverVersion");
    load(count, "nvmlDeviceGetCount_v2");
    load(device, "nvmlDeviceGetHandleByIndex_v2");
    load(pci, "nvmlDeviceGetPciInfo_v3");
    load(uuid, "nvmlDeviceGetUUID");
    load(name_of, "nvmlDeviceGetName");
    load(memory, "nvmlDeviceGetMemoryInfo");
    load(energy, "nvmlDeviceGetTotalEnergyConsumption");
  }
  ~Library() {
    if (handle_) dlclose(handle_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  std::string problem;  ///< empty if all functions are there
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error_text)(int) = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*count)(unsigned*) = nullptr;
  int (*device)(unsigned, NvmlDevice**) = nullptr;
  int (*pci)(NvmlDevice*, NvmlPci*) = nullptr;
  int (*uuid)(NvmlDevice*, char*, unsigned) = nullptr;
  int (*name_of)(NvmlDevice*, char*, unsigned) = nullptr;
  int (*memory)(NvmlDevice*, NvmlMemory*) = nullptr;
  int (*energy)(NvmlDevice*, unsigned long long*) = nullptr;  ///< mJ since the driver was loaded

 private:
  static std::string last_error() {
    const char* text = dlerror();  // NOLINT(concurrency-mt-unsafe): the text is the thread's own
    return text ? text::printable(text, 300) : "unknown error";
  }

  template <class Function>
  void load(Function& function, const char* symbol) {
    if (!problem.empty()) return;
    function = reinterpret_cast<Function>(dlsym(handle_, symbol));
    if (!function) problem = fmt::format("NVML has no {}: {}", symbol, last_error());
  }

  void* handle_;
};

/// One of NVML's "fill in this text" functions; empty if it refuses.
template <class Function, class... Device>
std::string text_of(Function function, Device... device) {
  std::array<char, 97> buffer{};
  const int code = function(device..., buffer.data(), static_cast<unsigned>(buffer.size() - 1));
  return code == kSuccess ? text::printable(buffer.data(), buffer.size()) : "";
}

std::string bus_id(const NvmlPci& pci) {
  return fmt::format("{:04x}:{:02x}:{:02x}.0", pci.domain, pci.bus, pci.device);
}

void read_devices(const Library& nvml, unsigned count, NvmlState& state) {
  for (unsigned index = 0; index < count; ++index) {
    NvmlDevice* device = nullptr;
    NvmlPci pci{};
    int code = nvml.device(index, &device);
    if (code == kSuccess) code = nvml.pci(device, &pci);
    if (code != kSuccess) {
      // A device that fell off the bus, or that belongs to others: CUDA cannot use it either.
      state.problem =
          fmt::format("NVML device {}: {}", index, text::printable(nvml.error_text(code), 200));
      continue;
    }
    NvmlGpu gpu;
    gpu.pci_bus_id = bus_id(pci);
    gpu.uuid = text_of(nvml.uuid, device);
    gpu.name = text_of(nvml.name_of, device);
    NvmlMemory memory{};
    if (nvml.memory(device, &memory) == kSuccess) gpu.memory_bytes = memory.total;
    state.gpus.push_back(std::move(gpu));
  }
  std::ranges::sort(state.gpus, {}, &NvmlGpu::pci_bus_id);
}

}  // namespace

NvmlState read_nvml(const std::string& library) {
  NvmlState state;
  const Library nvml(library);
  state.problem = nvml.problem;
  if (!state.problem.empty()) return state;
  if (const int code = nvml.init(); code != kSuccess) {
    state.problem =
        fmt::format("NVML does not start: {}", text::printable(nvml.error_text(code), 200));
    return state;
  }
  unsigned count = 0;
  const int code = nvml.count(&count);
  state.available = code == kSuccess;
  if (state.available) {
    state.driver_version = text_of(nvml.driver_version);
    read_devices(nvml, count, state);
  } else {
    state.problem =
        fmt::format("NVML counts no devices: {}", text::printable(nvml.error_text(code), 200));
  }
  nvml.shutdown();
  return state;
}

struct NvmlEnergy::State {
  explicit State(const std::string& library) : nvml(library) {}
  ~State() {
    if (started) nvml.shutdown();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Library nvml;
  bool started = false;
  NvmlDevice* device = nullptr;
};

NvmlEnergy::NvmlEnergy(const std::string& pci_bus_id, const std::string& library)
    : state_(std::make_unique<State>(library)) {
  Library& nvml = state_->nvml;
  if (!nvml.problem.empty()) return;
  state_->started = nvml.init() == kSuccess;
  unsigned count = 0;
  if (!state_->started || nvml.count(&count) != kSuccess) return;
  for (unsigned index = 0; index < count && state_->device == nullptr; ++index) {
    NvmlDevice* device = nullptr;
    NvmlPci pci{};
    if (nvml.device(index, &device) == kSuccess && nvml.pci(device, &pci) == kSuccess &&
        bus_id(pci) == pci_bus_id) {
      state_->device = device;
    }
  }
}

NvmlEnergy::~NvmlEnergy() = default;

std::optional<double> NvmlEnergy::joules() const {
  unsigned long long millijoules = 0;
  if (state_->device == nullptr || state_->nvml.energy(state_->device, &millijoules) != kSuccess)
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
    gpus.push_back(std::move(gpu));
  }
  machine.gpus = std::move(gpus);
}

}  // namespace scalemark::topology
