// SPDX-License-Identifier: Apache-2.0
// Finds the ranks of a node that read the same clock.
#include "common/clock/domain.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace scalemark::clock {

std::string time_namespace() {
  std::error_code missing;
  return std::filesystem::read_symlink("/proc/self/ns/time", missing).string();
}

int first_of_domain(std::span<const std::string> names, int rank) {
  const std::string& mine = names[static_cast<std::size_t>(rank)];
  if (mine.empty()) return 0;
  return static_cast<int>(std::ranges::find(names, mine) - names.begin());
}

}  // namespace scalemark::clock
