// SPDX-License-Identifier: Apache-2.0
// What all entry points of the replaced NVML share: handles, and how a value is given out.
#pragma once

#include <string>

#include "common/hardware/nvml_library.hpp"
#include "tests/gpu/software/cudart/identity.hpp"

// NVML's handle, of a device or of a MIG instance.
struct scalemark::hardware::nvml::Device {
  scalemark::software_gpu::Identity identity;
};

namespace scalemark::software_gpu::nvml_answer {

using hardware::nvml::Device;

/// Codes that nvml_library.hpp does not need.
constexpr int kUninitialized = 1, kNotFound = 6, kTooSmall = 7, kDriverNotLoaded = 9;

/// Starts and ends the use of NVML.
void begin_use();
/// False without a use that could end.
bool end_use();
bool is_in_use();

/// The handle of a device; the same for the same device.
Device* handle_of(const Identity& identity);

template <typename T>
int give(const Device* device, T* out, T value) {
  if (!is_in_use()) return kUninitialized;
  if (device == nullptr || out == nullptr) return hardware::nvml::kInvalidArgument;
  *out = value;
  return hardware::nvml::kSuccess;
}

int give_text(char* out, unsigned size, const std::string& text);

/// NVML's form of a device's address.
hardware::nvml::Pci pci_of(int place);

}  // namespace scalemark::software_gpu::nvml_answer
