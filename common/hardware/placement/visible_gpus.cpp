// SPDX-License-Identifier: Apache-2.0
// Interprets CUDA_VISIBLE_DEVICES as CUDA does.
#include <algorithm>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/hardware/placement/placement.hpp"

namespace scalemark::hardware {
namespace {

/// What an entry names.
struct Named {
  int gpu = -1;           ///< index into Machine::gpus; -1 if no GPU matches
  bool instance = false;  ///< a MIG instance of it
};

Named resolve_index(const Machine& machine, const std::string& entry) {
  const auto index = text::parse_integer(entry);
  if (!index || *index >= static_cast<std::int64_t>(machine.gpus.size())) return {};
  return {.gpu = static_cast<int>(*index)};
}

Named resolve_instance(const Machine& machine, const std::string& entry) {
  const auto has_it = [&](const Gpu& gpu) {
    return std::ranges::count(gpu.instances, entry) > 0 ||
           (!gpu.uuid.empty() && entry.starts_with("MIG-" + gpu.uuid + "/"));
  };
  const auto found = std::ranges::find_if(machine.gpus, has_it);
  if (found == machine.gpus.end()) return {};
  return {.gpu = found->index, .instance = true};
}

Named resolve_uuid(const Machine& machine, const std::string& entry) {
  Named named;
  for (const Gpu& gpu : machine.gpus) {
    if (!gpu.uuid.starts_with(entry)) continue;
    if (named.gpu >= 0) return {};
    named.gpu = gpu.index;
  }
  return named;
}

Named resolve(const Machine& machine, const std::string& entry) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (!entry.empty() && std::ranges::all_of(entry, is_digit)) return resolve_index(machine, entry);
  if (entry.starts_with("MIG-")) return resolve_instance(machine, entry);
  if (entry.starts_with("GPU-")) return resolve_uuid(machine, entry);
  return {};
}

std::string trimmed(const std::string& entry) {
  const std::size_t first = entry.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return entry.substr(first, entry.find_last_not_of(" \t") - first + 1);
}

/// What the entries name, up to the first one that names nothing; none if two name the same.
std::vector<Named> named_by(const Machine& machine, const std::string& cuda_visible_devices,
                            std::string& why) {
  std::vector<Named> all;
  std::vector<std::string> instances;
  for (const std::string& part : text::split(cuda_visible_devices, ',')) {
    const std::string entry = trimmed(part);
    const Named named = resolve(machine, entry);
    if (named.gpu < 0) {
      // "-1" commonly ends the list or hides all GPUs, so it is no mistake.
      if (entry != "-1")
        why = fmt::format(
            "CUDA_VISIBLE_DEVICES: '{}' names none of the {} GPUs; it and what follows is ignored",
            text::printable(entry, 80), machine.gpus.size());
      break;
    }
    const bool again = named.instance ? std::ranges::count(instances, entry) > 0
                                      : std::ranges::any_of(all, [&](const Named& other) {
                                          return !other.instance && other.gpu == named.gpu;
                                        });
    if (again) {
      why = fmt::format("CUDA_VISIBLE_DEVICES names GPU {} twice; CUDA then shows none", named.gpu);
      return {};
    }
    if (named.instance) instances.push_back(entry);
    all.push_back(named);
  }
  return all;
}

}  // namespace

std::vector<int> visible_gpus(const Machine& machine,
                              const std::optional<std::string>& cuda_visible_devices,
                              std::string* problem) {
  std::string unused;
  std::string& why = problem ? *problem : unused;
  why.clear();
  std::vector<Named> named;
  if (cuda_visible_devices) {
    named = named_by(machine, *cuda_visible_devices, why);
  } else {
    for (const Gpu& gpu : machine.gpus) named.push_back({.gpu = gpu.index});
  }
  const auto divided = std::ranges::find_if(named, [&](const Named& one) {
    return one.instance || !machine.gpus[static_cast<std::size_t>(one.gpu)].instances.empty();
  });
  if (divided != named.end()) {
    if (named.size() > 1)
      why = fmt::format(
          "CUDA shows a process one MIG instance, that of GPU {}, and no other GPU; "
          "CUDA_VISIBLE_DEVICES of each rank may name another instance",
          divided->gpu);
    return {divided->gpu};
  }
  std::vector<int> gpus;
  for (const Named& one : named) gpus.push_back(one.gpu);
  return gpus;
}

}  // namespace scalemark::hardware
