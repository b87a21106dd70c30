// SPDX-License-Identifier: Apache-2.0
// Groups steps by their sizes.
#include "common/predict/step_sizes.hpp"

#include <algorithm>
#include <numeric>

namespace scalemark::predict {

std::vector<SizeGroup> size_groups(std::span<const double> sizes, std::size_t groups) {
  std::vector<double> sorted(sizes.begin(), sizes.end());
  std::ranges::sort(sorted);
  std::vector<SizeGroup> result;
  for (std::size_t i = 0; i < groups; ++i) {
    const std::size_t from = sorted.size() * i / groups, to = sorted.size() * (i + 1) / groups;
    if (from == to) continue;
    const auto count = static_cast<double>(to - from);
    const double sum = std::accumulate(sorted.begin() + static_cast<std::ptrdiff_t>(from),
                                       sorted.begin() + static_cast<std::ptrdiff_t>(to), 0.0);
    const SizeGroup group{sum / count, count / static_cast<double>(sorted.size())};
    if (!result.empty() && result.back().size == group.size)
      result.back().share += group.share;
    else
      result.push_back(group);
  }
  return result;
}

}  // namespace scalemark::predict
