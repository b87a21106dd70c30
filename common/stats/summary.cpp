// SPDX-License-Identifier: Apache-2.0
// Quantiles, autocorrelation time, interval of the median.
#include "common/stats/summary.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

namespace scalemark::stats {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
/// Lags up to which autocorrelation_time looks at every pair, and how many one stands for beyond.
constexpr std::size_t kDenseLags = 4096;
constexpr std::size_t kSparseStep = 64;

bool any_nan(std::span<const double> values) {
  return std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
}

std::vector<double> sorted_copy(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

/// Sum over i of sign[i] * sign[i + lag]; integers, hence exact.
std::int64_t product_sum(std::span<const std::int8_t> sign, std::size_t lag) {
  std::int64_t total = 0;
  constexpr std::size_t kBlock = 1 << 16;
  for (std::size_t begin = 0; begin + lag < sign.size(); begin += kBlock) {
    const std::size_t end = std::min(sign.size() - lag, begin + kBlock);
    std::int32_t block = 0;
    for (std::size_t i = begin; i < end; ++i) block += sign[i] * sign[i + lag];
    total += block;
  }
  return total;
}

}  // namespace

double quantile_sorted(std::span<const double> sorted, double p) {
  if (sorted.empty()) return kNan;
  const auto last = static_cast<double>(sorted.size() - 1);
  double below = std::clamp(std::floor(p * last), 0.0, last);
  // The product is rounded, its rest is not: 0.999 * 1000 must not fall beside its integer, nor a
  // wide step between two values magnify the rounding.
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
  return quantile_sorted(sorted_copy(values), 0.5);
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

double autocorrelation_time(std::span<const double> values) {
  const std::size_t n = values.size();
  const double center = median(values);
  if (n < 2 || std::isnan(center)) return 1;
  std::vector<std::int8_t> sign(n);
  std::vector<std::int64_t> sum(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i) {
    sign[i] = static_cast<std::int8_t>((values[i] > center) - (values[i] < center));
    sum[i + 1] = sum[i] + sign[i];
  }
  const auto count = static_cast<double>(n);
  const double average = static_cast<double>(sum[n]) / count;
  // Sum of (s_i - m)(s_(i+k) - m), opened so that only integers are summed over i.
  const auto covariance = [&](std::size_t lag) {
    const auto edges = static_cast<double>(sum[n - lag] + sum[n] - sum[lag]);
    return static_cast<double>(product_sum(sign, lag)) - average * edges +
           static_cast<double>(n - lag) * average * average;
  };
  const double variance = covariance(0);
  if (variance <= 0) return 1;
  double total = 0;
  // Each pair costs n; a drift keeps pairs positive up to n/2. Far out they change slowly, and one
  // stands for its neighbours.
  for (std::size_t lag = 0; lag + 1 < n;) {
    const std::size_t stands_for = lag < kDenseLags ? 1 : kSparseStep;
    const double pair = covariance(lag) + covariance(lag + 1);
    if (pair <= 0) break;
    total += pair * static_cast<double>(stands_for);
    lag += 2 * stands_for;
  }
  return std::max(1.0, 2 * total / variance - 1);
}

Interval median_interval(std::span<const double> in_time_order, double z) {
  const std::size_t n = in_time_order.size();
  if (n == 0 || any_nan(in_time_order)) return {kNan, kNan};
  const std::vector<double> sorted = sorted_copy(in_time_order);
  const auto count = static_cast<double>(n);
  const double effective = count / autocorrelation_time(in_time_order);
  if (effective < 3) return {sorted.front(), sorted.back()};
  const double half = z * count / (2 * std::sqrt(effective));
  const double low = std::clamp(std::floor(count / 2 - half), 1.0, count);
  const double high = std::clamp(std::ceil(1 + count / 2 + half), 1.0, count);
  return {sorted[static_cast<std::size_t>(low) - 1], sorted[static_cast<std::size_t>(high) - 1]};
}

}  // namespace scalemark::stats
