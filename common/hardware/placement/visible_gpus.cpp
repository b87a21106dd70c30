// SPDX-License-Identifier: Apache-2.0
// Interprets CUDA_VISIBLE_DEVICES as CUDA does.
#include <algorithm>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/hardware/placement/placement.hpp"

namespace scalemark::hardware {
namespace {

/// Index into machine.gpus for one entry: an index, a UUID, or a unique prefix of a UUID. -1 if no
/// GPU matches.
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

std::string trimmed(const std::string& entry) {
  const std::size_t first = entry.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return entry.substr(first, entry.find_last_not_of(" \t") - first + 1);
}

}  // namespace

std::vector<int> visible_gpus(const Machine& machine, const std::string& cuda_visible_devices,
                              std::string* problem) {
  std::string unused;
  std::string& why = problem ? *problem : unused;
  why.clear();
  std::vector<int> gpus;
  for (const std::string& part : text::split(cuda_visible_devices, ',')) {
    const std::string entry = trimmed(part);
    const int gpu = resolve(machine, entry);
    if (gpu < 0) {
      // "-1" commonly ends the list or hides all GPUs, so it is no mistake.
      if (entry != "-1")
        why = fmt::format(
            "CUDA_VISIBLE_DEVICES: '{}' names none of the {} GPUs; it and what follows is ignored",
            text::printable(entry, 80), machine.gpus.size());
      break;
    }
    if (std::ranges::find(gpus, gpu) != gpus.end()) {
      why = fmt::format("CUDA_VISIBLE_DEVICES names GPU {} twice; CUDA then shows none", gpu);
      return {};
    }
    gpus.push_back(gpu);
  }
  return gpus;
}

}  // namespace scalemark::hardware
