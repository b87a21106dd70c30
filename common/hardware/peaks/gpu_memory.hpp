// SPDX-License-Identifier: Apache-2.0
// Peak bandwidth of a GPU's memory.
#pragma once

#include <string>

#include "common/hardware/peaks/peak.hpp"

namespace scalemark::hardware {

/// Peak memory bandwidth of the GPU at `pci_bus_id`, in B/s: maximum memory clock x 2 transfers per
/// cycle (double data rate) x bus width in bits / 8. Unknown with MIG, because NVML does not report
/// the bus width of a MIG slice. Never throws.
Peak gpu_memory_peak(const std::string& pci_bus_id,
                     const std::string& library = "libnvidia-ml.so.1");

}  // namespace scalemark::hardware
