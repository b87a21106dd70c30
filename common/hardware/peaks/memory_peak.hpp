// SPDX-License-Identifier: Apache-2.0
// What the memory of a host can carry.
#pragma once

#include <filesystem>
#include <span>

#include "common/hardware/machine.hpp"
#include "common/hardware/peaks/peak.hpp"
#include "common/hardware/peaks/smbios.hpp"

namespace scalemark::hardware {

struct HostMemory {
  Peak peak;         ///< B/s, reads and writes together
  int channels = 0;  ///< that have a module; 0: not told
};

/// Sum over the channels that have a module: transfers a second as configured x bits of data / 8.
/// Modules of one channel share it and count once, so nothing but a reason where the makers' words
/// for their places do not tell the channel.
HostMemory memory_peak(std::span<const MemoryDevice> devices);

/// Of this machine, with what read_memory_devices() finds. Never throws.
HostMemory read_memory_peak(const std::filesystem::path& root = "/");

/// Of one NUMA node: an equal part, where all nodes have as much memory and the channels come out
/// even; else a reason.
Peak numa_memory_peak(const HostMemory& host, const Machine& machine);

}  // namespace scalemark::hardware
