// SPDX-License-Identifier: Apache-2.0
// IDX files (the format of MNIST), plain or gzip-compressed. Nothing in a file is believed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace scalemark::imaging {

/// Unsigned bytes with their dimensions, slowest first.
struct Idx {
  std::vector<std::uint32_t> shape;
  std::vector<std::uint8_t> values;  ///< exactly the product of `shape`
};

/// What a file may hold at most: checked before memory is taken, whatever its header says.
inline constexpr std::uint64_t kMaxIdxBytes = std::uint64_t{1} << 30;

/// Reads an IDX file of unsigned bytes from memory; gzip is recognised by its magic. `origin` is
/// named in errors. Throws InputError: another magic or element type, more than 4 dimensions, a
/// dimension of 0, more than kMaxIdxBytes, a length other than the header promises, damaged
/// compression.
Idx parse_idx(std::span<const std::uint8_t> file, const std::string& origin);

/// The same from a file of at most kMaxIdxBytes + 1 KiB.
Idx read_idx(const std::filesystem::path& path);

}  // namespace scalemark::imaging
