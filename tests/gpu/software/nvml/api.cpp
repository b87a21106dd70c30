// SPDX-License-Identifier: Apache-2.0
// Entry points of NVML: a healthy GPU under a steady load, or one that the settings slow down.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

#include "common/hardware/nvml_library.hpp"
#include "tests/gpu/software/cudart/identity.hpp"
#include "tests/gpu/software/cudart/settings.hpp"
#include "tests/gpu/software/environment.hpp"

namespace gpu = scalemark::software_gpu;
namespace nvml = scalemark::hardware::nvml;

// NVML's handle.
struct scalemark::hardware::nvml::Device {
  int place = 0;
};

namespace {

constexpr int kUninitialized = 1, kTooSmall = 7, kDriverNotLoaded = 9;
constexpr int kMaxDevices = 8;
constexpr unsigned kMaxClock = 1980, kMaxMemoryClock = 2619, kMilliwatts = 400'000,
                   kLimit = 700'000, kBusWidth = 5120;

/// Calls of nvmlInit_v2() without their nvmlShutdown().
std::atomic<int> users = 0;

nvml::Device* devices() {
  static auto* const all = [] {
    auto* const made = new nvml::Device[kMaxDevices];
    for (int place = 0; place < kMaxDevices; ++place) made[place].place = place;
    return made;
  }();
  return all;
}

unsigned long long clock_reasons() { return gpu::number("SOFTWARE_GPU_CLOCK_REASONS", 0); }
bool is_slowed() { return clock_reasons() != 0; }

/// Milliseconds since this library was loaded.
unsigned long long milliseconds() {
  static const auto begin = std::chrono::steady_clock::now();
  const auto since = std::chrono::steady_clock::now() - begin;
  return static_cast<unsigned long long>(
      std::chrono::duration_cast<std::chrono::milliseconds>(since).count());
}

template <typename T>
int give(const nvml::Device* device, T* out, T value) {
  if (users == 0) return kUninitialized;
  if (device == nullptr || out == nullptr) return nvml::kInvalidArgument;
  *out = value;
  return nvml::kSuccess;
}

int give_text(char* out, unsigned size, const std::string& text) {
  if (users == 0) return kUninitialized;
  if (out == nullptr) return nvml::kInvalidArgument;
  if (text.size() >= size) return kTooSmall;
  std::copy_n(text.c_str(), text.size() + 1, out);
  return nvml::kSuccess;
}

}  // namespace

extern "C" {

int nvmlInit_v2() {
  if (gpu::is_on("SOFTWARE_GPU_NO_NVML")) return kDriverNotLoaded;
  ++users;
  milliseconds();
  return nvml::kSuccess;
}
int nvmlShutdown() {
  if (users == 0) return kUninitialized;
  --users;
  return nvml::kSuccess;
}
const char* nvmlErrorString(int code) {
  switch (code) {
    case nvml::kSuccess:
      return "The operation was successful";
    case kUninitialized:
      return "Uninitialized";
    case nvml::kInvalidArgument:
      return "Invalid Argument";
    case nvml::kNotSupported:
      return "Not Supported";
    case kDriverNotLoaded:
      return "Driver Not Loaded";
    default:
      return "Unknown Error";
  }
}
int nvmlSystemGetDriverVersion(char* text, unsigned size) {
  return give_text(text, size, "580.65.06");
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  return give(devices(), count, static_cast<unsigned>(gpu::settings().devices));
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, nvml::Device** device) {
  if (users == 0) return kUninitialized;
  if (index >= static_cast<unsigned>(gpu::settings().devices)) return nvml::kInvalidArgument;
  *device = devices() + index;
  return nvml::kSuccess;
}
int nvmlDeviceGetPciInfo_v3(nvml::Device* device, nvml::Pci* pci) {
  if (users == 0) return kUninitialized;
  *pci = {};
  pci->bus = static_cast<unsigned>(gpu::pci_bus(device->place));
  std::snprintf(pci->bus_id, sizeof pci->bus_id, "00000000:%02X:00.0", pci->bus);
  std::snprintf(pci->bus_id_legacy, sizeof pci->bus_id_legacy, "0000:%02X:00.0", pci->bus);
  return nvml::kSuccess;
}
int nvmlDeviceGetUUID(nvml::Device* device, char* text, unsigned size) {
  return give_text(text, size, gpu::uuid_text(device->place));
}
int nvmlDeviceGetName(nvml::Device*, char* text, unsigned size) {
  return give_text(text, size, gpu::kDeviceName);
}
int nvmlDeviceGetMemoryInfo(nvml::Device* device, nvml::Memory* memory) {
  const unsigned long long all = gpu::settings().memory;
  return give(device, memory, nvml::Memory{.total = all, .free = all, .used = 0});
}
int nvmlDeviceGetTotalEnergyConsumption(nvml::Device* device, unsigned long long* millijoules) {
  return give(device, millijoules, milliseconds() * kMilliwatts / 1000);
}
int nvmlDeviceGetClockInfo(nvml::Device* device, int domain, unsigned* megahertz) {
  const unsigned most = domain == nvml::kMemoryClock ? kMaxMemoryClock : kMaxClock;
  return give(device, megahertz,
              domain == nvml::kMemoryClock || !is_slowed() ? most : kMaxClock / 2);
}
int nvmlDeviceGetMaxClockInfo(nvml::Device* device, int domain, unsigned* megahertz) {
  return give(device, megahertz, domain == nvml::kMemoryClock ? kMaxMemoryClock : kMaxClock);
}
int nvmlDeviceGetPowerUsage(nvml::Device* device, unsigned* milliwatts) {
  return give(device, milliwatts, kMilliwatts);
}
int nvmlDeviceGetTemperature(nvml::Device* device, int, unsigned* celsius) {
  return give(device, celsius, is_slowed() ? 92U : 55U);
}
int nvmlDeviceGetCurrentClocksEventReasons(nvml::Device* device, unsigned long long* reasons) {
  return give(device, reasons, clock_reasons());
}
int nvmlDeviceGetEccMode(nvml::Device* device, unsigned* current, unsigned* pending) {
  give(device, pending, 1U);
  return give(device, current, 1U);
}
int nvmlDeviceGetTotalEccErrors(nvml::Device* device, int, int, unsigned long long* errors) {
  return give(device, errors, 0ULL);
}
int nvmlDeviceGetCurrPcieLinkGeneration(nvml::Device* device, unsigned* generation) {
  return give(device, generation, 5U);
}
int nvmlDeviceGetCurrPcieLinkWidth(nvml::Device* device, unsigned* width) {
  return give(device, width, 16U);
}
int nvmlDeviceGetMaxPcieLinkGeneration(nvml::Device* device, unsigned* generation) {
  return give(device, generation, 5U);
}
int nvmlDeviceGetMaxPcieLinkWidth(nvml::Device* device, unsigned* width) {
  return give(device, width, 16U);
}
int nvmlDeviceGetVbiosVersion(nvml::Device*, char* text, unsigned size) {
  return give_text(text, size, "96.00.00.00.01");
}
int nvmlDeviceGetPowerManagementLimit(nvml::Device* device, unsigned* milliwatts) {
  return give(device, milliwatts, kLimit);
}
int nvmlDeviceGetPowerManagementDefaultLimit(nvml::Device* device, unsigned* milliwatts) {
  return give(device, milliwatts, kLimit);
}
int nvmlDeviceGetEnforcedPowerLimit(nvml::Device* device, unsigned* milliwatts) {
  return give(device, milliwatts, kLimit);
}
int nvmlDeviceGetPersistenceMode(nvml::Device* device, unsigned* mode) {
  return give(device, mode, 1U);
}
int nvmlDeviceGetComputeMode(nvml::Device* device, unsigned* mode) {
  return give(device, mode, 0U);
}
int nvmlDeviceGetMemoryBusWidth(nvml::Device* device, unsigned* bits) {
  return give(device, bits, kBusWidth);
}
// No MIG, no NVLink: the rest answers as a GPU without them does.
int nvmlDeviceGetMigMode(nvml::Device*, unsigned*, unsigned*) { return nvml::kNotSupported; }
int nvmlDeviceGetNvLinkState(nvml::Device*, unsigned, unsigned*) { return nvml::kNotSupported; }
int nvmlDeviceGetFieldValues(nvml::Device*, int, nvml::FieldValue*) { return nvml::kNotSupported; }
int nvmlDeviceGetC2cModeInfoV(nvml::Device*, nvml::C2cMode*) { return nvml::kNotSupported; }

}  // extern "C"
