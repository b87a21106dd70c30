// SPDX-License-Identifier: Apache-2.0
// Handles of the replaced NVML, and how a value is given out.
#include "tests/gpu/software/nvml/answer.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <deque>
#include <mutex>

namespace scalemark::software_gpu::nvml_answer {
namespace {

/// Calls of nvmlInit_v2() without their nvmlShutdown().
std::atomic<int> users = 0;

}  // namespace

void begin_use() { ++users; }

bool end_use() {
  if (users == 0) return false;
  --users;
  return true;
}

bool is_in_use() { return users > 0; }

Device* handle_of(const Identity& identity) {
  static auto& mutex = *new std::mutex;
  static auto& handles = *new std::deque<Device>;
  const std::lock_guard lock(mutex);
  const auto found = std::ranges::find(handles, identity, &Device::identity);
  return found != handles.end() ? &*found : &handles.emplace_back(Device{identity});
}

int give_text(char* out, unsigned size, const std::string& text) {
  if (!is_in_use()) return kUninitialized;
  if (out == nullptr) return hardware::nvml::kInvalidArgument;
  if (text.size() >= size) return kTooSmall;
  std::copy_n(text.c_str(), text.size() + 1, out);
  return hardware::nvml::kSuccess;
}

hardware::nvml::Pci pci_of(int place) {
  const PciAddress address = pci_address(place);
  hardware::nvml::Pci pci{};
  pci.domain = address.domain;
  pci.bus = address.bus;
  std::snprintf(pci.bus_id, sizeof pci.bus_id, "%08X:%02X:00.0", pci.domain, pci.bus);
  std::snprintf(pci.bus_id_legacy, sizeof pci.bus_id_legacy, "%s", text_of(address).c_str());
  return pci;
}

}  // namespace scalemark::software_gpu::nvml_answer
