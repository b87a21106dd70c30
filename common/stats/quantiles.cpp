// SPDX-License-Identifier: Apache-2.0
// Quantiles at exact thousandths.
#include "common/stats/quantiles.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "common/stats/limits.hpp"
#include "common/stats/special.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::stats {

double type7(std::span<const double> sorted, std::int64_t thousandths) {
  if (sorted.empty()) return kNan;
  const std::int64_t place =
      std::clamp<std::int64_t>(thousandths, 0, 1000) * static_cast<std::int64_t>(sorted.size() - 1);
  const auto index = static_cast<std::size_t>(place / 1000);
  const auto part = static_cast<double>(place % 1000) / 1000;
  if (part == 0) return sorted[index];
  return std::fma(part, sorted[index + 1] - sorted[index], sorted[index]);
}

double nearest_rank(std::span<const double> sorted, std::int64_t thousandths) {
  if (sorted.empty()) return kNan;
  const auto n = static_cast<std::int64_t>(sorted.size());
  const std::int64_t rank = (std::clamp<std::int64_t>(thousandths, 0, 1000) * n + 999) / 1000;
  return sorted[static_cast<std::size_t>(std::max<std::int64_t>(rank, 1)) - 1];
}

double interquartile_range(std::span<const double> sorted) {
  return type7(sorted, 750) - type7(sorted, 250);
}

double median_absolute_deviation(std::span<const double> values) {
  const double center = median(values);
  std::vector<double> distance;
  distance.reserve(values.size());
  for (const double value : values) distance.push_back(std::abs(value - center));
  return median(distance);
}

double harrell_davis(std::span<const double> sorted, double q) {
  if (sorted.empty()) return kNan;
  const auto n = static_cast<double>(sorted.size());
  const double a = (n + 1) * q, b = (n + 1) * (1 - q);
  double below = 0, total = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double upto = beta_inc(a, b, static_cast<double>(i + 1) / n);
    total += (upto - below) * sorted[i];
    below = upto;
  }
  return total;
}

std::array<double, 9> harrell_davis_deciles(std::span<const double> sorted) {
  std::array<double, 9> deciles{};
  for (std::size_t k = 0; k < deciles.size(); ++k) {
    deciles[k] = harrell_davis(sorted, static_cast<double>(k + 1) / 10);
  }
  return deciles;
}

}  // namespace scalemark::stats
