// SPDX-License-Identifier: Apache-2.0
// Adjustment of p-values, from the largest or from the smallest one on.
#include "common/stats/adjust.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace scalemark::stats {
namespace {

/// Indices of the p-values in ascending order, without NaN.
std::vector<std::size_t> ascending(std::span<const double> p) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (!std::isnan(p[i])) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  return order;
}

/// Step-up adjustment, from the largest p: min over j >= i of p_(j) * `factor` * m / j.
std::vector<double> step_up(std::span<const double> p, const std::vector<std::size_t>& order,
                            double factor) {
  std::vector<double> adjusted(p.begin(), p.end());
  const auto count = static_cast<double>(order.size());
  double least = 1;
  for (std::size_t place = order.size(); place-- > 0;) {
    least = std::min(least, p[order[place]] * factor * count / static_cast<double>(place + 1));
    adjusted[order[place]] = least;
  }
  return adjusted;
}

}  // namespace

std::vector<double> benjamini_hochberg(std::span<const double> p) {
  return step_up(p, ascending(p), 1);
}

std::vector<double> benjamini_yekutieli(std::span<const double> p) {
  const std::vector<std::size_t> order = ascending(p);
  double harmonic = 0;
  for (std::size_t i = order.size(); i > 0; --i) harmonic += 1 / static_cast<double>(i);
  return step_up(p, order, harmonic);
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

std::vector<double> bonferroni(std::span<const double> p) {
  std::vector<double> adjusted(p.begin(), p.end());
  const auto tests = static_cast<double>(ascending(p).size());
  for (double& value : adjusted) {
    if (!std::isnan(value)) value = std::min(1.0, tests * value);
  }
  return adjusted;
}

}  // namespace scalemark::stats
