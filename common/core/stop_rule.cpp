// SPDX-License-Identifier: Apache-2.0
// Stop rules.
#include "common/core/stop_rule.hpp"

#include <algorithm>
#include <cmath>

#include "common/stats/summary.hpp"

namespace scalemark {
namespace {

/// The first batch is one sample, to know how long it takes; the second at most so many.
constexpr std::size_t kSecondBatch = 5;

/// A batch lasts no longer than this share of max_time, so that the limit is not overshot by much.
constexpr double kBatchShare = 0.25;

}  // namespace

std::string_view to_string(Stop stop) {
  switch (stop) {
    case Stop::no:
      return "no";
    case Stop::ci:
      return "ci";
    case Stop::count:
      return "count";
    case Stop::time:
      return "time";
  }
  return "no";
}

bool interval_reached(const SamplingPolicy& policy, std::span<const double> samples) {
  if (samples.size() < static_cast<std::size_t>(policy.min_samples)) return false;
  const double median = stats::median(samples);
  const stats::Interval interval = stats::median_interval(samples);
  const double half_width = std::max(median - interval.low, interval.high - median);
  return half_width <= policy.ci_percent / 100 * std::abs(median);
}

Stop decide(const SamplingPolicy& policy, std::size_t taken, double seconds, bool all_reached) {
  if (taken >= static_cast<std::size_t>(policy.iterations.value_or(policy.max_samples)))
    return Stop::count;
  if (taken > 0 && seconds >= policy.max_time) return Stop::time;
  if (!policy.iterations && all_reached && seconds >= policy.min_time) return Stop::ci;
  return Stop::no;
}

std::size_t next_batch(const SamplingPolicy& policy, std::size_t taken, double seconds,
                       double longest) {
  const auto limit = static_cast<std::size_t>(policy.iterations.value_or(policy.max_samples));
  const std::size_t left = limit > taken ? limit - taken : 0;
  const bool only_count = policy.iterations && !std::isfinite(policy.max_time);
  if (only_count && !std::isfinite(longest)) return left;
  if (taken == 0) return std::min<std::size_t>(1, left);
  const double time_left = std::max(policy.max_time - seconds, 0.0);
  const double allowed = std::min({longest, time_left, policy.max_time * kBatchShare});
  const double each = std::max(seconds / static_cast<double>(taken), 1e-9);
  const auto batch = std::min(static_cast<double>(std::max(taken, kSecondBatch)),
                              std::max(std::ceil(allowed / each), 1.0));
  return std::min(static_cast<std::size_t>(batch), left);
}

}  // namespace scalemark
