// SPDX-License-Identifier: Apache-2.0
// Names of the pretend devices, equal in CUDA and in NVML.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace scalemark::software_gpu {

/// common/result/software_gpu.hpp refuses what this device measured.
constexpr const char* kDeviceName = "Scalemark software GPU";

/// `place`: number among all devices of the machine.
std::array<std::uint8_t, 16> uuid(int place);
/// "GPU-736f6674-7761-7265-2047-505520000000"
std::string uuid_text(int place);
/// Number of the PCI bus; domain, device and function are 0.
constexpr int pci_bus(int place) { return place + 1; }

}  // namespace scalemark::software_gpu
