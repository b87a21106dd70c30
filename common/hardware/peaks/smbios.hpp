// SPDX-License-Identifier: Apache-2.0
// Memory modules as the firmware (SMBIOS) lists them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace scalemark::hardware {

/// An installed memory module.
struct MemoryDevice {
  std::string locator, bank;   ///< position on the board, in the maker's words
  int type = 0;                ///< memory type as numbered in DSP0134
  double transfers_per_s = 0;  ///< as configured; 0 if unknown
  int data_bits = 0;           ///< without the bits for error correction; 0 if unknown
};

struct MemoryDevices {
  std::vector<MemoryDevice> devices;
  std::string problem;  ///< why there is no list, or why it cannot be trusted; empty if it can
};

/// Memory modules in a table of SMBIOS structures: those of type 17 with a module installed.
/// Format: DMTF DSP0134, System Management BIOS Reference Specification, sections 6.1 and 7.18.
MemoryDevices memory_devices(std::span<const std::uint8_t> table);

/// Memory modules of this machine, from /sys/firmware/dmi/tables/DMI, or else from
/// entries/17-*/raw, below `root`. Only root can read these files. Never throws.
MemoryDevices read_memory_devices(const std::filesystem::path& root = "/");

}  // namespace scalemark::hardware
