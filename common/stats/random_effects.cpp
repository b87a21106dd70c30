// SPDX-License-Identifier: Apache-2.0
// One-way analysis of variance.
#include "common/stats/random_effects.hpp"

#include <algorithm>
#include <cmath>

#include "common/stats/summary.hpp"

namespace scalemark::stats {

std::optional<RandomEffects> random_effects(std::span<const std::vector<double>> groups) {
  double n = 0, total = 0, squared_sizes = 0;
  for (const std::vector<double>& group : groups) {
    if (group.empty()) return std::nullopt;
    const auto size = static_cast<double>(group.size());
    n += size;
    squared_sizes += size * size;
    for (const double value : group) total += value;
  }
  const auto k = static_cast<double>(groups.size());
  if (k < 2 || n <= k || !std::isfinite(total)) return std::nullopt;
  double between = 0, within = 0;
  for (const std::vector<double>& group : groups) {
    const double middle = mean(group), apart = middle - total / n;
    between += static_cast<double>(group.size()) * apart * apart;
    for (const double value : group) within += (value - middle) * (value - middle);
  }
  const double mse = within / (n - k), msb = between / (k - 1);
  const double n0 = (n - squared_sizes / n) / (k - 1);
  return RandomEffects{std::sqrt(std::max(0.0, (msb - mse) / n0)), std::sqrt(mse)};
}

}  // namespace scalemark::stats
