// SPDX-License-Identifier: Apache-2.0
// CPU sets: the kernel's list form ("0-3,8") and the NUMA node that they belong to.
#include <algorithm>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/hardware/machine.hpp"

namespace scalemark::hardware {
namespace {

/// More than any machine has. The limit keeps "0-2000000000" from exhausting memory.
constexpr std::int64_t kMaxCpu = 1 << 20;

std::int64_t number(const std::string& part, const std::string& whole) {
  const bool digits =
      !part.empty() && std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; });
  const auto value = digits ? text::parse_integer(part) : std::nullopt;
  if (!value || *value > kMaxCpu) {
    throw UsageError(
        fmt::format("'{}' is not a CPU list; allowed: 0-3,8", text::printable(whole, 80)));
  }
  return *value;
}

}  // namespace

std::string to_list(const CpuSet& cpus) {
  std::string result;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t end = i;
    while (end + 1 < cpus.size() && cpus[end + 1] == cpus[end] + 1) ++end;
    if (!result.empty()) result += ',';
    result += end == i ? std::to_string(cpus[i]) : fmt::format("{}-{}", cpus[i], cpus[end]);
    i = end + 1;
  }
  return result;
}

CpuSet parse_list(const std::string& list) {
  CpuSet cpus;
  for (const std::string& part : text::split(list, ',')) {
    const std::size_t dash = part.find('-');
    const std::int64_t first = number(part.substr(0, dash), list);
    const std::int64_t last =
        dash == std::string::npos ? first : number(part.substr(dash + 1), list);
    if (last < first)
      throw UsageError(
          fmt::format("'{}' is not a CPU list: a range runs backwards", text::printable(list, 80)));
    for (std::int64_t cpu = first; cpu <= last; ++cpu) cpus.push_back(static_cast<int>(cpu));
  }
  std::ranges::sort(cpus);
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

int numa_node_of(const Machine& machine, const CpuSet& cpus) {
  const auto found = std::ranges::find_if(machine.numa, [&](const NumaNode& node) {
    return !cpus.empty() && std::ranges::includes(node.cpus, cpus);
  });
  return found == machine.numa.end() ? -1 : found->index;
}

}  // namespace scalemark::hardware
