// SPDX-License-Identifier: Apache-2.0
// IDX files (the format of MNIST), plain or gzip-compressed. All contents are validated.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace scalemark::imaging {

/// An array of unsigned bytes with its dimensions, slowest first.
struct Idx {
  std::vector<std::uint32_t> shape;
  std::vector<std::uint8_t> values;  ///< size: the product of `shape`
};

/// Maximum size of the data in a file; checked before memory is allocated.
inline constexpr std::uint64_t kMaxIdxBytes = std::uint64_t{1} << 30;

/// Parses an IDX file of unsigned bytes in memory; gzip is recognised by its magic number. Errors
/// name `origin`. Throws InputError for a wrong magic number or element type, more than 4
/// dimensions or a dimension of 0. Also throws for more than kMaxIdxBytes, a length that differs
/// from the header, or damaged compression.
Idx parse_idx(std::span<const std::uint8_t> file, const std::string& origin);

/// The same for a file of at most kMaxIdxBytes + 1 KiB.
Idx read_idx(const std::filesystem::path& path);

}  // namespace scalemark::imaging
