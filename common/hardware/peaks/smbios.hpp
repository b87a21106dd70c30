// SPDX-License-Identifier: Apache-2.0
// Memory modules as the firmware lists them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace scalemark::hardware {

/// A memory device that is there.
struct MemoryDevice {
  std::string locator, bank;   ///< where it sits, in the maker's words
  int type = 0;                ///< DSP0134's number of the kind of memory
  double transfers_per_s = 0;  ///< as configured; 0: not told
  int data_bits = 0;           ///< without those for error correction; 0: not told
};

struct MemoryDevices {
  std::vector<MemoryDevice> devices;
  std::string problem;  ///< why the list is not to be trusted; empty if it is
};

/// Structures of type 17 in a table of SMBIOS structures (DMTF DSP0134, System Management BIOS
/// Reference Specification, 6.1 and 7.18), whatever else stands there.
MemoryDevices memory_devices(std::span<const std::uint8_t> table);

/// Those of this machine, from /sys/firmware/dmi/tables/DMI or else entries/17-*/raw below `root`,
/// which only the superuser may read. Never throws.
MemoryDevices read_memory_devices(const std::filesystem::path& root = "/");

}  // namespace scalemark::hardware
