// SPDX-License-Identifier: Apache-2.0
// Step-up and step-down adjustment of p-values.
#include "common/stats/adjust.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace scalemark::stats {
namespace {

/// Places of the p-values, smallest first.
std::vector<std::size_t> ascending(std::span<const double> p) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (!std::isnan(p[i])) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  return order;
}

}  // namespace

std::vector<double> benjamini_hochberg(std::span<const double> p) {
  std::vector<double> adjusted(p.begin(), p.end());
  const std::vector<std::size_t> order = ascending(p);
  const auto count = static_cast<double>(order.size());
  double least = 1;
  for (std::size_t place = order.size(); place-- > 0;) {
    least = std::min(least, p[order[place]] * count / static_cast<double>(place + 1));
    adjusted[order[place]] = least;
  }
  return adjusted;
}

std::vector<double> holm(std::span<const double> p) {
  std::vector<double> adjusted(p.begin(), p.end());
  const std::vector<std::size_t> order = ascending(p);
  double most = 0;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const auto remaining = static_cast<double>(order.size() - place);
    most = std::max(most, std::min(1.0, remaining * p[order[place]]));
    adjusted[order[place]] = most;
  }
  return adjusted;
}

}  // namespace scalemark::stats
