// SPDX-License-Identifier: Apache-2.0
// Reads SMBIOS structures of type 17 (memory devices). The table comes from firmware, so every
// length is checked.
#include "common/hardware/peaks/smbios.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

#include "common/base/small_files.hpp"
#include "common/base/text.hpp"

namespace scalemark::hardware {
namespace {

constexpr std::size_t kHeader = 4, kMaxTable = 1 << 20, kMaxDevices = 4096, kMaxWords = 64;
constexpr std::uint8_t kMemoryDevice = 17, kEndOfTable = 127;
/// 100 GT/s: higher values are treated as wrong.
constexpr std::uint32_t kMaxMegatransfers = 100'000;

/// One SMBIOS structure: its fields, and the text strings that follow them.
class Structure {
 public:
  Structure(std::span<const std::uint8_t> fields, std::span<const std::uint8_t> strings)
      : fields_(fields), strings_(strings) {}

  /// The little-endian number of `bytes` bytes at offset `at`; 0 if the structure is too short, as
  /// in older versions.
  std::uint32_t number(std::size_t at, std::size_t bytes) const {
    if (at + bytes > fields_.size()) return 0;
    std::uint32_t value = 0;
    for (std::size_t i = bytes; i-- > 0;) value = value << 8U | fields_[at + i];
    return value;
  }
  /// The string whose number (counted from 1) is stored at offset `at`; empty for number 0.
  std::string text(std::size_t at) const {
    std::uint32_t left = number(at, 1);
    auto begin = strings_.begin();
    while (left > 1 && begin != strings_.end()) {
      begin = std::find(begin, strings_.end(), std::uint8_t{0});
      if (begin != strings_.end()) ++begin;
      --left;
    }
    if (left == 0) return "";
    const std::string found(begin, std::find(begin, strings_.end(), std::uint8_t{0}));
    return text::printable(found, kMaxWords);
  }

 private:
  std::span<const std::uint8_t> fields_, strings_;
};

MemoryDevice describe_device(const Structure& from) {
  MemoryDevice device;
  device.locator = from.text(0x10);
  device.bank = from.text(0x11);
  device.type = static_cast<int>(from.number(0x12, 1));
  const std::uint32_t bits = from.number(0x0A, 2), speed = from.number(0x20, 2);
  if (bits != 0xFFFF) device.data_bits = static_cast<int>(bits);
  // A value that does not fit is stored in an extended field, of which 31 bits count.
  const std::uint32_t mega = speed == 0xFFFF ? from.number(0x58, 4) & 0x7FFFFFFFU : speed;
  if (mega <= kMaxMegatransfers) device.transfers_per_s = 1e6 * mega;
  return device;
}

/// Size in bytes of the strings after a structure, including the two zeros at their end; nothing if
/// these are missing.
std::optional<std::size_t> strings_size(std::span<const std::uint8_t> rest) {
  static constexpr std::array<std::uint8_t, 2> kEnd = {0, 0};
  const auto end = std::search(rest.begin(), rest.end(), kEnd.begin(), kEnd.end());
  if (end == rest.end()) return std::nullopt;
  return static_cast<std::size_t>(end - rest.begin()) + kEnd.size();
}

std::vector<std::uint8_t> content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::uint8_t> content(kMaxTable + 1);
  file.read(reinterpret_cast<char*>(content.data()), static_cast<std::streamsize>(content.size()));
  content.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return content;
}

}  // namespace

MemoryDevices memory_devices(std::span<const std::uint8_t> table) {
  MemoryDevices found;
  const auto broken = [&] {
    found.problem = "the firmware's hardware table (SMBIOS) is damaged";
    return std::move(found);
  };
  while (!table.empty()) {
    if (table.size() < kHeader || table.size() > kMaxTable) return broken();
    const std::size_t length = table[1];
    if (length < kHeader || length > table.size()) return broken();
    const auto behind = strings_size(table.subspan(length));
    if (!behind) return broken();
    const Structure structure(table.first(length), table.subspan(length, *behind));
    const std::uint8_t type = table[0];
    table = table.subspan(length + *behind);
    if (type == kEndOfTable) break;
    // Size 0 means an empty slot.
    if (type != kMemoryDevice || structure.number(0x0C, 2) == 0) continue;
    if (found.devices.size() == kMaxDevices) return broken();
    found.devices.push_back(describe_device(structure));
  }
  if (found.devices.empty()) found.problem = "the firmware lists no memory (SMBIOS type 17)";
  return found;
}

MemoryDevices read_memory_devices(const std::filesystem::path& root) {
  const std::filesystem::path firmware = root / "sys/firmware/dmi";
  std::vector<std::uint8_t> table = content_of(firmware / "tables/DMI");
  std::error_code error;
  bool is_there = std::filesystem::exists(firmware / "tables/DMI", error);
  if (table.empty()) {
    for (const std::string& name : names_in(firmware / "entries", kMaxDevices)) {
      if (!name.starts_with("17-")) continue;
      is_there = true;
      const std::vector<std::uint8_t> one = content_of(firmware / "entries" / name / "raw");
      // An incomplete list would give too small a bandwidth.
      if (one.empty() || table.size() > kMaxTable) {
        table.clear();
        break;
      }
      table.insert(table.end(), one.begin(), one.end());
    }
  }
  if (!table.empty()) return memory_devices(table);
  return {{},
          is_there ? "only root may read the firmware's memory list (/sys/firmware/dmi); set --peak"
                   : "the firmware has no memory list (/sys/firmware/dmi); set --peak"};
}

}  // namespace scalemark::hardware
