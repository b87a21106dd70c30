// SPDX-License-Identifier: Apache-2.0
// Files with known bytes, and how they are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace scalemark::micro {

/// A file descriptor, closed at the end.
class OpenFile {
 public:
  OpenFile() = default;
  /// Throws Unavailable with the system's reason.
  OpenFile(const std::filesystem::path& path, int flags);
  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&& other) noexcept;
  ~OpenFile();
  int get() const { return descriptor_; }

 private:
  int descriptor_ = -1;
};

/// Fills `to` with what stands in a file from `offset` on: 8-byte words that depend on their place
/// and on `seed`.
void known_bytes(std::span<std::uint8_t> to, std::uint64_t offset, std::uint64_t seed);
/// Bytes of `from` that are not those.
std::uint64_t wrong_bytes(std::span<const std::uint8_t> from, std::uint64_t offset,
                          std::uint64_t seed);

/// 0 to `count` - 1, in order or shuffled (Fisher and Yates) by numbers of `seed`.
std::vector<std::uint64_t> read_order(std::uint64_t count, bool is_random, std::uint64_t seed);

/// Makes sure that `path` holds `bytes` known bytes on the disk: a file of that size that begins
/// and ends with them is taken as it is. Throws Unavailable: no space, no right to write.
void ensure_known_file(const std::filesystem::path& path, std::uint64_t bytes, std::uint64_t seed);

/// Reads all of `to` from `offset` on; throws Error if the file ends before, or the system fails.
void read_all(const OpenFile& file, std::span<std::uint8_t> to, std::uint64_t offset);

/// Asks the system to forget what it holds of the file in memory; dirty pages stay, so the file
/// must be on the disk.
void drop_from_memory(const OpenFile& file);
/// Part of the file's first `bytes` that the system holds in memory, from 0 to 1; -1 unknown.
double part_in_memory(const OpenFile& file, std::uint64_t bytes);

}  // namespace scalemark::micro
