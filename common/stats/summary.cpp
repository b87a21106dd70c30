// SPDX-License-Identifier: Apache-2.0
// Median, mean, spread, and the confidence interval of the median.
#include "common/stats/summary.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

#include "common/stats/autocorrelation.hpp"
#include "common/stats/limits.hpp"

namespace scalemark::stats {
namespace {

bool any_nan(std::span<const double> values) {
  return std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
}

std::vector<double> sorted_copy(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

}  // namespace

double quantile_sorted(std::span<const double> sorted, double p) {
  if (sorted.empty()) return kNan;
  const auto last = static_cast<double>(sorted.size() - 1);
  double below = std::clamp(std::floor(p * last), 0.0, last);
  // fma() gives the rounding error of the product. It keeps 0.999 * 1000 from landing beside its
  // integer, where a large step between two values would magnify the error.
  double part = std::fma(p, last, -below);
  constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();
  if (1 - part <= kRounding * last) {
    below += 1;
    part = 0;
  }
  const auto index = static_cast<std::size_t>(std::min(below, last));
  if (part <= kRounding * last || index + 1 == sorted.size()) return sorted[index];
  return sorted[index] + part * (sorted[index + 1] - sorted[index]);
}

double median(std::span<const double> values) {
  if (values.empty() || any_nan(values)) return kNan;
  std::vector<double> parted(values.begin(), values.end());
  const auto middle = parted.begin() + static_cast<std::ptrdiff_t>(parted.size() / 2);
  std::nth_element(parted.begin(), middle, parted.end());
  if (parted.size() % 2 == 1) return *middle;
  const double below = *std::max_element(parted.begin(), middle);
  return below + 0.5 * (*middle - below);
}

double mean(std::span<const double> values) {
  if (values.empty()) return kNan;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double stddev(std::span<const double> values) {
  if (values.empty()) return kNan;
  if (values.size() == 1) return 0;
  const double center = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - center) * (value - center);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double mad(std::span<const double> values) {
  const double center = median(values);
  std::vector<double> distance;
  distance.reserve(values.size());
  for (const double value : values) distance.push_back(std::abs(value - center));
  return 1.4826 * median(distance);
}

Interval median_interval(std::span<const double> in_time_order, double z) {
  if (in_time_order.empty() || any_nan(in_time_order)) return {kNan, kNan};
  const std::vector<double> sorted = sorted_copy(in_time_order);
  const double effective = sign_autocorrelation(in_time_order).n_eff;
  if (effective < 3) return {sorted.front(), sorted.back()};
  const MedianInterval interval = order_statistic_interval(sorted, effective, z);
  return {interval.low, interval.high};
}

}  // namespace scalemark::stats
