// SPDX-License-Identifier: Apache-2.0
// What the memory of a GPU can carry, by NVML.
#pragma once

#include <string>

#include "common/hardware/peaks/peak.hpp"

namespace scalemark::hardware {

/// B/s of the memory of the GPU at `pci_bus_id`: its highest clock x 2 transfers (double data rate)
/// x width of its bus / 8. A part of a GPU (MIG) has a part of that, which NVML does not tell.
/// Never throws.
Peak gpu_memory_peak(const std::string& pci_bus_id,
                     const std::string& library = "libnvidia-ml.so.1");

}  // namespace scalemark::hardware
