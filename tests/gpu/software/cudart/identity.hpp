// SPDX-License-Identifier: Apache-2.0
// Names of the pretend devices, equal in CUDA and in NVML.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace scalemark::software_gpu {

/// common/result/software_gpu.hpp refuses what this device measured.
constexpr const char* kDeviceName = "Scalemark software GPU";

constexpr int kMaxDevices = 8;

/// A pretend device, or a MIG instance of it.
struct Identity {
  int place = 0;  ///< number among all devices of the machine
  std::optional<int> instance = {};
  friend bool operator==(const Identity&, const Identity&) = default;
};

std::array<std::uint8_t, 16> uuid(const Identity& device);
/// "GPU-736f6674-7761-7265-2047-505520000000", or the same with "MIG-"
std::string uuid_text(const Identity& device);

/// Device and function are 0.
struct PciAddress {
  unsigned domain = 0, bus = 0;
};
/// That of the machine which the settings name; otherwise bus 1 and so on.
PciAddress pci_address(int place);
/// "0000:01:00.0"
std::string text_of(const PciAddress& address);

}  // namespace scalemark::software_gpu
