// SPDX-License-Identifier: Apache-2.0
// Names of the pretend devices.
#include "tests/gpu/software/cudart/identity.hpp"

#include <cstdio>
#include <cstring>

#include "tests/gpu/software/cudart/settings.hpp"

namespace scalemark::software_gpu {

std::array<std::uint8_t, 16> uuid(const Identity& device) {
  std::array<std::uint8_t, 16> result{};
  std::memcpy(result.data(), "software GPU ", 13);
  if (device.instance) result[14] = static_cast<std::uint8_t>(*device.instance + 1);
  result[15] = static_cast<std::uint8_t>(device.place);
  return result;
}

std::string uuid_text(const Identity& device) {
  std::string text = device.instance ? "MIG" : "GPU";
  const auto id = uuid(device);
  for (std::size_t i = 0; i < id.size(); ++i) {
    char byte[4];
    std::snprintf(byte, sizeof byte, "%02x", id[i]);
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += byte;
  }
  return text;
}

PciAddress pci_address(int place) {
  const Settings& s = settings();
  if (s.addresses.empty()) return {.bus = static_cast<unsigned>(place) + 1};
  return s.addresses.at(static_cast<std::size_t>(place));
}

std::string text_of(const PciAddress& address) {
  char text[16];
  std::snprintf(text, sizeof text, "%04X:%02X:00.0", address.domain, address.bus);
  return text;
}

}  // namespace scalemark::software_gpu
