// SPDX-License-Identifier: Apache-2.0
// Entry points of NVML: a healthy GPU under a steady load, or one that the settings slow down.
#include <chrono>
#include <cstdint>
#include <string>

#include "tests/gpu/software/cudart/settings.hpp"
#include "tests/gpu/software/environment.hpp"
#include "tests/gpu/software/nvml/answer.hpp"

namespace gpu = scalemark::software_gpu;
namespace nvml = scalemark::hardware::nvml;
using namespace gpu::nvml_answer;  // NOLINT(google-build-using-namespace)

namespace {

constexpr unsigned kMaxClock = 1980, kMaxMemoryClock = 2619, kMilliwatts = 400'000,
                   kLimit = 700'000, kBusWidth = 5120;

unsigned long long clock_reasons() { return gpu::number("SOFTWARE_GPU_CLOCK_REASONS", 0); }
bool is_slowed() { return clock_reasons() != 0; }

/// Milliseconds since this library was loaded.
unsigned long long milliseconds() {
  static const auto begin = std::chrono::steady_clock::now();
  const auto since = std::chrono::steady_clock::now() - begin;
  return static_cast<unsigned long long>(
      std::chrono::duration_cast<std::chrono::milliseconds>(since).count());
}

/// nvmlClocksEventReasons by cause.
constexpr unsigned long long kPowerReasons = 0x4, kHeatReasons = 0x60;

}  // namespace

extern "C" {

int nvmlInit_v2() {
  if (gpu::is_on("SOFTWARE_GPU_NO_NVML")) return kDriverNotLoaded;
  begin_use();
  milliseconds();
  return nvml::kSuccess;
}
int nvmlShutdown() { return end_use() ? nvml::kSuccess : kUninitialized; }
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
  return give(handle_of({}), count, static_cast<unsigned>(gpu::settings().devices));
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, Device** device) {
  if (index >= static_cast<unsigned>(gpu::settings().devices)) return nvml::kInvalidArgument;
  Device* const handle = handle_of({.place = static_cast<int>(index)});
  return give(handle, device, handle);
}
int nvmlDeviceGetPciInfo_v3(Device* device, nvml::Pci* pci) {
  return give(device, pci, pci_of(device->identity.place));
}
int nvmlDeviceGetUUID(Device* device, char* text, unsigned size) {
  return give_text(text, size, gpu::uuid_text(device->identity));
}
int nvmlDeviceGetName(Device*, char* text, unsigned size) {
  return give_text(text, size, gpu::kDeviceName);
}
int nvmlDeviceGetMemoryInfo(Device* device, nvml::Memory* memory) {
  const unsigned long long all = gpu::settings().memory;
  return give(device, memory, nvml::Memory{.total = all, .free = all, .used = 0});
}
int nvmlDeviceGetTotalEnergyConsumption(Device* device, unsigned long long* millijoules) {
  return give(device, millijoules, milliseconds() * kMilliwatts / 1000);
}
int nvmlDeviceGetClockInfo(Device* device, int domain, unsigned* megahertz) {
  const unsigned most = domain == nvml::kMemoryClock ? kMaxMemoryClock : kMaxClock;
  return give(device, megahertz,
              domain == nvml::kMemoryClock || !is_slowed() ? most : kMaxClock / 2);
}
int nvmlDeviceGetMaxClockInfo(Device* device, int domain, unsigned* megahertz) {
  return give(device, megahertz, domain == nvml::kMemoryClock ? kMaxMemoryClock : kMaxClock);
}
int nvmlDeviceGetPowerUsage(Device* device, unsigned* milliwatts) {
  return give(device, milliwatts, kMilliwatts);
}
int nvmlDeviceGetTemperature(Device* device, int, unsigned* celsius) {
  return give(device, celsius, is_slowed() ? 92U : 55U);
}
int nvmlDeviceGetCurrentClocksEventReasons(Device* device, unsigned long long* reasons) {
  return give(device, reasons, clock_reasons());
}
int nvmlDeviceGetEccMode(Device* device, unsigned* current, unsigned* pending) {
  give(device, pending, 1U);
  return give(device, current, 1U);
}
int nvmlDeviceGetTotalEccErrors(Device* device, int, int, unsigned long long* errors) {
  return give(device, errors, 0ULL);
}
int nvmlDeviceGetVbiosVersion(Device*, char* text, unsigned size) {
  return give_text(text, size, "96.00.00.00.01");
}
int nvmlDeviceGetPowerManagementLimit(Device* device, unsigned* milliwatts) {
  return give(device, milliwatts, kLimit);
}
int nvmlDeviceGetPowerManagementDefaultLimit(Device* device, unsigned* milliwatts) {
  return give(device, milliwatts, kLimit);
}
int nvmlDeviceGetEnforcedPowerLimit(Device* device, unsigned* milliwatts) {
  return give(device, milliwatts, kLimit);
}
int nvmlDeviceGetPersistenceMode(Device* device, unsigned* mode) { return give(device, mode, 1U); }
int nvmlDeviceGetComputeMode(Device* device, unsigned* mode) { return give(device, mode, 0U); }
int nvmlDeviceGetMemoryBusWidth(Device* device, unsigned* bits) {
  return give(device, bits, kBusWidth);
}
int nvmlDeviceGetViolationStatus(Device* device, int cause, nvml::Violation* violation) {
  const unsigned long long held = milliseconds() * 1'000'000;
  const bool is_held =
      (clock_reasons() & (cause == nvml::kByPower ? kPowerReasons : kHeatReasons)) != 0;
  return give(
      device, violation,
      nvml::Violation{.reference_us = milliseconds() * 1000, .violation_ns = is_held ? held : 0});
}
int nvmlDeviceGetRemappedRows(Device* device, unsigned* corrected, unsigned* uncorrected,
                              unsigned* pending, unsigned* failed) {
  for (unsigned* const out : {corrected, uncorrected, pending, failed}) give(device, out, 0U);
  return give(device, corrected, 0U);
}

}  // extern "C"
