// SPDX-License-Identifier: Apache-2.0
// Files with known bytes, and functions to read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace scalemark::micro {

/// A file descriptor, closed by the destructor.
class OpenFile {
 public:
  OpenFile() = default;
  /// Throws Unavailable with the system's error message.
  OpenFile(const std::filesystem::path& path, int flags);
  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&& other) noexcept;
  ~OpenFile();
  int get() const { return descriptor_; }

 private:
  int descriptor_ = -1;
};

/// Fills `to` with the known contents of a file from `offset` on: 8-byte words that depend on
/// position and `seed`.
void known_bytes(std::span<std::uint8_t> to, std::uint64_t offset, std::uint64_t seed);
/// Number of bytes of `from` that differ from known_bytes().
std::uint64_t wrong_bytes(std::span<const std::uint8_t> from, std::uint64_t offset,
                          std::uint64_t seed);

/// 0 to `count` - 1, in order, or as shuffled() with `seed`.
std::vector<std::uint64_t> read_order(std::uint64_t count, bool is_random, std::uint64_t seed);

/// Makes sure that `path` holds `bytes` known bytes on disk. Reuses a file of that size whose first
/// and last bytes match. Throws Unavailable if it cannot be written.
void ensure_known_file(const std::filesystem::path& path, std::uint64_t bytes, std::uint64_t seed);

/// Reads all of `to` from `offset` on. Throws Error at a premature end of file or a system error.
void read_all(const OpenFile& file, std::span<std::uint8_t> to, std::uint64_t offset);

/// Asks the system to drop the file from the page cache. Dirty pages stay, so the file must be on
/// disk.
void drop_from_memory(const OpenFile& file);
/// Fraction of the file's first `bytes` in the page cache, from 0 to 1; -1 unknown.
double part_in_memory(const OpenFile& file, std::uint64_t bytes);

}  // namespace scalemark::micro
