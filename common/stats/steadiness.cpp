// SPDX-License-Identifier: Apache-2.0
// MSER-5, and the flags of a run from MSER-5 and change points.
#include "common/stats/steadiness.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/stats/autocorrelation.hpp"
#include "common/stats/limits.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::stats {
namespace {

constexpr std::size_t kBatch = 5;
constexpr std::size_t kMinBatches = 4;
constexpr std::size_t kParts = 4;
constexpr double kZ95 = 1.959963984540054;

std::vector<double> batch_means(std::span<const double> values) {
  std::vector<double> means;
  for (std::size_t first = 0; first + kBatch <= values.size(); first += kBatch) {
    double sum = 0;
    for (const double value : values.subspan(first, kBatch)) sum += value - values[0];
    means.push_back(sum / kBatch);
  }
  return means;
}

/// Effective sample size of a series that may drift. It uses the median of the autocorrelation
/// times of four parts, each around its own median: over the whole series, a drift would count as
/// correlation.
double effective_values(std::span<const double> values) {
  const std::size_t length = values.size() / kParts;
  std::vector<double> times;
  for (std::size_t part = 0; part < kParts; ++part)
    times.push_back(sign_autocorrelation(values.subspan(part * length, length)).tau);
  return static_cast<double>(values.size()) / median(times);
}

/// Whether the values before `settled` move the median of all values out of the confidence interval
/// of the rest. The test is needed because MSER-5 drops some values by chance in one series of
/// three.
bool moves_the_median(std::span<const double> values, std::size_t settled) {
  const std::span<const double> rest = values.subspan(settled);
  std::vector<double> sorted(rest.begin(), rest.end());
  std::ranges::sort(sorted);
  const MedianInterval known = order_statistic_interval(sorted, effective_values(rest), kZ95);
  const double all = median(values);
  return all < known.low || all > known.high;
}

}  // namespace

Mser5 mser5(std::span<const double> values) {
  const std::vector<double> means = batch_means(values);
  const std::size_t m = means.size();
  Mser5 result;
  result.batches = m;
  result.statistic = kNan;
  result.too_short = m < kMinBatches;
  if (result.too_short) return result;
  // From the end backwards, so that each step adds one batch to the sum of squares (Welford).
  double center = 0, squares = 0, count = 0;
  for (std::size_t d = m; d-- > 0;) {
    ++count;
    const double before = means[d] - center;
    center += before / count;
    squares += before * (means[d] - center);
    if (d > m / 2) continue;
    const double statistic = squares / (count * count);
    if (statistic > result.statistic) continue;
    result.statistic = statistic;
    result.d_star = d;
  }
  result.at_limit = result.d_star == m / 2;
  return result;
}

std::vector<std::string> steadiness_flags(std::span<const double> times, std::size_t warmup,
                                          double resolution) {
  std::vector<double> logs;
  for (const double time : times) {
    if (!(time > 0) || std::isinf(time)) return {};
    logs.push_back(std::log(time));
  }
  if (warmup >= logs.size()) return {};
  std::vector<std::string> flags;
  ChangeOptions options;
  options.least_spread = resolution / std::sqrt(12.0);
  const std::span<const double> all = logs;
  const Mser5 mser = mser5(all);
  const std::size_t settled = mser.truncate();
  if (settled > warmup) {
    const double difference =
        median(all.subspan(warmup, settled - warmup)) - median(all.subspan(settled));
    if (std::abs(difference) >= options.least_change &&
        moves_the_median(all.subspan(warmup), settled - warmup))
      flags.emplace_back(mser.at_limit ? "not_steady" : "warmup_short");
  }
  // A short warm-up is not a shift: search only the values after it.
  const std::size_t first = mser.at_limit ? warmup : std::max(warmup, settled);
  if (!change_points(all.subspan(first), options).empty()) flags.emplace_back("shift_in_run");
  return flags;
}

}  // namespace scalemark::stats
