// SPDX-License-Identifier: Apache-2.0
// A fast hash of short byte strings, for tables in memory; never stored.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace scalemark::llm {

inline std::uint64_t hash_bytes(std::string_view bytes) {
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15U;
  std::uint64_t hash = bytes.size() * kFactor;
  while (bytes.size() >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), 8);
    hash = (hash ^ word) * kFactor;
    hash ^= hash >> 32;
    bytes.remove_prefix(8);
  }
  std::uint64_t rest = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    rest |= std::uint64_t{static_cast<std::uint8_t>(bytes[i])} << (8 * i);
  hash = (hash ^ rest) * kFactor;
  hash ^= hash >> 29;
  hash *= 0xBF58476D1CE4E5B9U;
  return hash ^ hash >> 32;
}

}  // namespace scalemark::llm
