// SPDX-License-Identifier: Apache-2.0
// Names of the pretend devices.
#include "tests/gpu/software/cudart/identity.hpp"

#include <cstdio>
#include <cstring>

namespace scalemark::software_gpu {

std::array<std::uint8_t, 16> uuid(int place) {
  std::array<std::uint8_t, 16> result{};
  std::memcpy(result.data(), "software GPU ", 13);
  result[15] = static_cast<std::uint8_t>(place);
  return result;
}

std::string uuid_text(int place) {
  std::string text = "GPU";
  const auto id = uuid(place);
  for (std::size_t i = 0; i < id.size(); ++i) {
    char byte[4];
    std::snprintf(byte, sizeof byte, "%02x", id[i]);
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += byte;
  }
  return text;
}

}  // namespace scalemark::software_gpu
