// SPDX-License-Identifier: Apache-2.0
// Looks at texts eight bytes at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace scalemark::text {

/// The value 1 in each byte of a block.
constexpr std::uint64_t kEachByte = 0x0101010101010101U;

/// Length of the text before the first block of eight bytes for which `marked` sets the top bit of
/// any byte; the last bytes that fill no block are not counted.
template <typename Mark>
std::size_t length_of_blocks(std::string_view text, Mark marked) {
  std::size_t at = 0;
  for (; at + sizeof(std::uint64_t) <= text.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t block = 0;
    std::memcpy(&block, text.data() + at, sizeof block);
    if ((marked(block) & (0x80 * kEachByte)) != 0) break;
  }
  return at;
}

}  // namespace scalemark::text
