// SPDX-License-Identifier: Apache-2.0
// Loads and initialises NVML.
#include "common/hardware/nvml_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

namespace scalemark::hardware::nvml {
namespace {

std::string last_error() {
  const char* text = dlerror();  // NOLINT(concurrency-mt-unsafe): the text is the thread's own
  return text ? text::printable(text, 300) : "unknown error";
}

}  // namespace

template <class Function>
void Library::load(Function& function, const char* symbol) {
  if (handle_) function = reinterpret_cast<Function>(dlsym(handle_, symbol));
}

template <class Function>
void Library::require(Function& function, const char* symbol) {
  if (!problem.empty()) return;
  load(function, symbol);
  if (!function) problem = fmt::format("NVML has no {}: {}", symbol, last_error());
}

Library::Library(const std::string& name) : handle_(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (!handle_) problem = fmt::format("{} cannot be loaded: {}", name, last_error());
  require(init, "nvmlInit_v2");
  require(shutdown, "nvmlShutdown");
  require(error_text, "nvmlErrorString");
  require(driver_version, "nvmlSystemGetDriverVersion");
  require(count, "nvmlDeviceGetCount_v2");
  require(device, "nvmlDeviceGetHandleByIndex_v2");
  require(pci, "nvmlDeviceGetPciInfo_v3");
  require(uuid, "nvmlDeviceGetUUID");
  require(name_of, "nvmlDeviceGetName");
  require(memory, "nvmlDeviceGetMemoryInfo");
  require(energy, "nvmlDeviceGetTotalEnergyConsumption");
  load(clock, "nvmlDeviceGetClockInfo");
  load(max_clock, "nvmlDeviceGetMaxClockInfo");
  load(power, "nvmlDeviceGetPowerUsage");
  load(temperature, "nvmlDeviceGetTemperature");
  load(clock_event_reasons, "nvmlDeviceGetCurrentClocksEventReasons");
  // The name of this function in drivers older than 535.
  if (!clock_event_reasons) load(clock_event_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
  load(violation, "nvmlDeviceGetViolationStatus");
  load(ecc_errors, "nvmlDeviceGetTotalEccErrors");
  load(ecc_mode, "nvmlDeviceGetEccMode");
  load(pcie_generation, "nvmlDeviceGetCurrPcieLinkGeneration");
  load(pcie_width, "nvmlDeviceGetCurrPcieLinkWidth");
  load(max_pcie_generation, "nvmlDeviceGetMaxPcieLinkGeneration");
  load(max_pcie_width, "nvmlDeviceGetMaxPcieLinkWidth");
  load(vbios, "nvmlDeviceGetVbiosVersion");
  load(power_limit, "nvmlDeviceGetPowerManagementLimit");
  load(default_power_limit, "nvmlDeviceGetPowerManagementDefaultLimit");
  load(enforced_power_limit, "nvmlDeviceGetEnforcedPowerLimit");
  load(persistence, "nvmlDeviceGetPersistenceMode");
  load(compute_mode, "nvmlDeviceGetComputeMode");
  load(mig_mode, "nvmlDeviceGetMigMode");
  load(max_mig_count, "nvmlDeviceGetMaxMigDeviceCount");
  load(mig_device, "nvmlDeviceGetMigDeviceHandleByIndex");
  load(remapped_rows, "nvmlDeviceGetRemappedRows");
  load(nvlink_state, "nvmlDeviceGetNvLinkState");
  load(nvlink_version, "nvmlDeviceGetNvLinkVersion");
  load(nvlink_remote_type, "nvmlDeviceGetNvLinkRemoteDeviceType");
  load(nvlink_remote_pci, "nvmlDeviceGetNvLinkRemotePciInfo_v2");
  load(field_values, "nvmlDeviceGetFieldValues");
  load(c2c_mode, "nvmlDeviceGetC2cModeInfoV");
  load(memory_bus_width, "nvmlDeviceGetMemoryBusWidth");
}

Library::~Library() {
  if (handle_) dlclose(handle_);
}

Running::Running(const std::string& library) : nvml(library), problem(nvml.problem) {
  if (!problem.empty()) return;
  const int code = nvml.init();
  started_ = code == kSuccess;
  if (!started_)
    problem =
        fmt::format("NVML cannot be initialised: {}", text::printable(nvml.error_text(code), 200));
}

Running::~Running() {
  if (started_) nvml.shutdown();
}

Device* Running::find(const std::string& pci_bus_id) const {
  unsigned count = 0;
  if (!started_ || nvml.count(&count) != kSuccess) return nullptr;
  for (unsigned index = 0; index < count; ++index) {
    Device* device = nullptr;
    Pci pci{};
    if (nvml.device(index, &device) == kSuccess && nvml.pci(device, &pci) == kSuccess &&
        bus_id(pci) == pci_bus_id) {
      return device;
    }
  }
  return nullptr;
}

std::string bus_id(const Pci& pci) {
  return fmt::format("{:04x}:{:02x}:{:02x}.0", pci.domain, pci.bus, pci.device);
}

}  // namespace scalemark::hardware::nvml
