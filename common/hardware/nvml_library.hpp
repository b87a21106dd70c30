// SPDX-License-Identifier: Apache-2.0
// NVML, loaded with dlopen. The declarations are our own because not every CUDA toolkit has nvml.h;
// nvml_check.cpp compares them with that header where it is present.
#pragma once

#include <array>
#include <string>

#include "common/base/text.hpp"

namespace scalemark::hardware::nvml {

/// nvmlDevice_t is a Device*. The layout of the structures below is part of NVML's ABI.
struct Device;
/// nvmlPciInfo_t
struct Pci {
  char bus_id_legacy[16];
  unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
  char bus_id[32];
};
/// nvmlMemory_t
struct Memory {
  unsigned long long total, free, used;
};
/// nvmlViolationTime_t
struct Violation {
  unsigned long long reference_us, violation_ns;  ///< both since the driver was loaded
};
/// nvmlFieldValue_t
struct FieldValue {
  unsigned field, scope;
  long long timestamp, latency_us;
  int type, result;
  union {
    double floating;
    unsigned unsigned_int;
    unsigned long long unsigned_long_long;
  } value;
};
/// nvmlC2cModeInfo_v1_t
struct C2cMode {
  unsigned enabled;
};
constexpr int kSuccess = 0, kInvalidArgument = 2, kNotSupported = 3;

/// Pointers to NVML's functions. Those of the first group are required. Those of the second group,
/// from `clock` on, are null if the driver is too old to have them.
class Library {
 public:
  explicit Library(const std::string& name);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  /// why the library or a required function is missing; empty if all are there
  std::string problem;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error_text)(int) = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*count)(unsigned*) = nullptr;
  int (*device)(unsigned, Device**) = nullptr;
  int (*pci)(Device*, Pci*) = nullptr;
  int (*uuid)(Device*, char*, unsigned) = nullptr;
  int (*name_of)(Device*, char*, unsigned) = nullptr;
  int (*memory)(Device*, Memory*) = nullptr;
  int (*energy)(Device*, unsigned long long*) = nullptr;  ///< mJ since the driver was loaded

  int (*clock)(Device*, int, unsigned*) = nullptr;      ///< MHz; of kSmClock or kMemoryClock
  int (*max_clock)(Device*, int, unsigned*) = nullptr;  ///< MHz; of kSmClock or kMemoryClock
  int (*power)(Device*, unsigned*) = nullptr;           ///< mW
  int (*temperature)(Device*, int, unsigned*) = nullptr;
  int (*clock_event_reasons)(Device*, unsigned long long*) = nullptr;
  int (*violation)(Device*, int, Violation*) = nullptr;
  int (*ecc_errors)(Device*, int, int, unsigned long long*) = nullptr;
  int (*ecc_mode)(Device*, unsigned*, unsigned*) = nullptr;
  int (*pcie_generation)(Device*, unsigned*) = nullptr;
  int (*pcie_width)(Device*, unsigned*) = nullptr;
  int (*max_pcie_generation)(Device*, unsigned*) = nullptr;
  int (*max_pcie_width)(Device*, unsigned*) = nullptr;
  int (*vbios)(Device*, char*, unsigned) = nullptr;
  int (*power_limit)(Device*, unsigned*) = nullptr;           ///< mW
  int (*default_power_limit)(Device*, unsigned*) = nullptr;   ///< mW
  int (*enforced_power_limit)(Device*, unsigned*) = nullptr;  ///< mW
  int (*persistence)(Device*, unsigned*) = nullptr;
  int (*compute_mode)(Device*, unsigned*) = nullptr;
  int (*mig_mode)(Device*, unsigned*, unsigned*) = nullptr;
  int (*max_mig_count)(Device*, unsigned*) = nullptr;
  int (*mig_device)(Device*, unsigned, Device**) = nullptr;  ///< a MIG instance by its place
  int (*remapped_rows)(Device*, unsigned*, unsigned*, unsigned*, unsigned*) = nullptr;
  int (*nvlink_state)(Device*, unsigned, unsigned*) = nullptr;
  int (*nvlink_version)(Device*, unsigned, unsigned*) = nullptr;      ///< nvmlNvlinkVersion_t
  int (*nvlink_remote_type)(Device*, unsigned, unsigned*) = nullptr;  ///< kNvlinkToGpu and so on
  int (*nvlink_remote_pci)(Device*, unsigned, Pci*) = nullptr;
  int (*field_values)(Device*, int, FieldValue*) = nullptr;
  int (*c2c_mode)(Device*, C2cMode*) = nullptr;
  int (*memory_bus_width)(Device*, unsigned*) = nullptr;  ///< bits

 private:
  template <class Function>
  void require(Function& function, const char* symbol);
  template <class Function>
  void load(Function& function, const char* symbol);

  void* handle_;
};

constexpr int kSmClock = 1, kMemoryClock = 2;                ///< nvmlClockType_t
constexpr int kGpuTemperature = 0;                           ///< nvmlTemperatureSensors_t
constexpr int kCorrectedErrors = 0, kUncorrectedErrors = 1;  ///< nvmlMemoryErrorType_t
constexpr int kSinceDriverLoad = 0;                          ///< nvmlEccCounterType_t
/// nvmlIntNvLinkDeviceType_t
constexpr unsigned kNvlinkToGpu = 0, kNvlinkToHost = 1, kNvlinkToSwitch = 2, kNvlinkToUnknown = 255;
/// NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON, and the type of its value
constexpr unsigned kNvlinkSpeedCommon = 90;
constexpr int kUnsignedInt = 1;
constexpr int kByPower = 0, kByHeat = 1;  ///< nvmlPerfPolicyType_t: causes of a Violation

/// A reason why the GPU reduces its clocks: one bit nvmlClocksEventReason...
struct ClockEventReason {
  unsigned long long bit;
  const char* name;
  bool slows_down;  ///< true for overheating and board protection, which do not belong to normal
                    ///< work
};
inline constexpr std::array kClockEventReasons = {
    ClockEventReason{0x1, "gpu_idle", false},
    ClockEventReason{0x2, "clocks_setting", false},
    ClockEventReason{0x4, "sw_power_cap", false},
    ClockEventReason{0x8, "hw_slowdown", true},
    ClockEventReason{0x10, "sync_boost", false},
    ClockEventReason{0x20, "sw_thermal_slowdown", true},
    ClockEventReason{0x40, "hw_thermal_slowdown", true},
    ClockEventReason{0x80, "hw_power_brake", true},
    ClockEventReason{0x100, "display_clock_setting", false}};

/// NVML, loaded and initialised. Never throws: `problem` says what failed.
class Running {
 public:
  explicit Running(const std::string& library);
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  Library nvml;
  std::string problem;  ///< empty if it answers
  /// The device at an address (dddd:bb:dd.f, lower case); null if NVML knows none there.
  Device* find(const std::string& pci_bus_id) const;

 private:
  bool started_ = false;
};

/// One of NVML's "fill in this text" functions; empty if it refuses.
template <class Function, class... Arguments>
std::string text_of(Function function, Arguments... arguments) {
  std::array<char, 97> buffer{};
  if (function == nullptr) return "";
  const int code = function(arguments..., buffer.data(), static_cast<unsigned>(buffer.size() - 1));
  return code == kSuccess ? text::printable(buffer.data(), buffer.size()) : "";
}

/// The bus id of a device as text.
std::string bus_id(const Pci& pci);

}  // namespace scalemark::hardware::nvml
