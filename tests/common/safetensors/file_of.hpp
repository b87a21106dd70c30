// SPDX-License-Identifier: Apache-2.0
// safetensors files put together by hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace scalemark::safetensors::test {

/// A file of this header and so many bytes of data: 0, 1, 2, ...
inline std::string file_of(const std::string& header, std::size_t data) {
  std::string bytes(8, '\0');
  const auto length = static_cast<std::uint64_t>(header.size());
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(length >> (8 * i) & 0xff);
  bytes += header;
  for (std::size_t i = 0; i < data; ++i) bytes += static_cast<char>(i);
  return bytes;
}

}  // namespace scalemark::safetensors::test
