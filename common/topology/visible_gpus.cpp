// SPDX-License-Identifier: Apache-2.0
// CUDA_VISIBLE_DEVICES, as CUDA reads it.
#include <algorithm>

#include "common/base/text.hpp"
#include "common/topology/placement.hpp"

namespace scalemark::topology {
namespace {

/// The GPU that an entry means: an index, or a UUID or an unambiguous beginning of one. -1 for
/// none.
int resolve(const Machine& machine, const std::string& entry) {
  const bool digits =
      !entry.empty() && std::ranges::all_of(entry, [](char c) { return c >= '0' && c <= '9'; });
  if (digits) {
    const auto index = text::parse_integer(entry);
    return index && *index < static_cast<std::int64_t>(machine.gpus.size())
               ? static_cast<int>(*index)
               : -1;
  }
  if (!entry.starts_with("GPU-")) return -1;
  int found = -1;
  for (const Gpu& gpu : machine.gpus) {
    if (!gpu.uuid.starts_with(entry)) continue;
    if (found >= 0) return -1;
    found = gpu.index;
  }
  return found;
}

std::string trimmed(std::string entry) {
  std::erase(entry, ' ');
  return entry;
}

}  // namespace

std::vector<int> visible_gpus(const Machine& machine, const std::string& cuda_visible_devices) {
  std::vector<int> gpus;
  for (const std::string& entry : text::split(cuda_visible_devices, ',')) {
    const int gpu = resolve(machine, trimmed(entry));
    // CUDA ignores everything from the first invalid entry on, and everything when one is named
    // twice.
    if (gpu < 0) break;
    if (std::ranges::find(gpus, gpu) != gpus.end()) return {};
    gpus.push_back(gpu);
  }
  return gpus;
}

}  // namespace scalemark::topology
