// SPDX-License-Identifier: Apache-2.0
// Peak bandwidth of a host's memory.
#pragma once

#include <filesystem>
#include <span>

#include "common/hardware/machine.hpp"
#include "common/hardware/peaks/peak.hpp"
#include "common/hardware/peaks/smbios.hpp"

namespace scalemark::hardware {

struct HostMemory {
  Peak peak;         ///< B/s, reads and writes together
  int channels = 0;  ///< number of channels with at least one module; 0 if unknown
};

/// Peak memory bandwidth: sum over the channels with a module of configured transfers/s x data bits
/// / 8. Modules of the same channel count once. Unknown if the locations of the modules do not name
/// their channels, or if speed or width is missing.
HostMemory memory_peak(std::span<const MemoryDevice> devices);

/// memory_peak() of this machine, with read_memory_devices(). Never throws.
HostMemory read_memory_peak(const std::filesystem::path& root = "/");

/// Peak memory bandwidth of one NUMA node: an equal share of the host's. Unknown unless all nodes
/// have the same amount of memory (within 10 %) and the channels divide evenly.
Peak numa_memory_peak(const HostMemory& host, const Machine& machine);

}  // namespace scalemark::hardware
