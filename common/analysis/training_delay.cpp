// SPDX-License-Identifier: Apache-2.0
// Splits each rank's step into input, messages and the rest, and compares ranks.
#include "common/analysis/training_delay.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "common/analysis/rank_differences.hpp"
#include "common/base/units.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::analysis {
namespace {

constexpr double kMaxWait = 0.1, kMaxDifference = 0.05;
constexpr std::size_t kMinSteps = 10;

/// Seconds of each rank in each counted step.
using ByRank = std::vector<std::vector<double>>;

/// A duration of all ranks and of the steps that `step_time` counts. Nothing if the training has
/// no such duration, or of other ranks or steps.
std::optional<ByRank> duration(const CaseResult& result, const std::string& name) {
  const Metric* steps = result.find("step_time");
  const Metric* metric = result.find(name);
  if (steps == nullptr || metric == nullptr || metric->kind != MetricKind::duration ||
      metric->samples.ranks != steps->samples.ranks ||
      metric->samples.iterations != steps->samples.iterations)
    return std::nullopt;
  return counted_values(metric->samples, steps->samples);
}

ByRank less(ByRank values, const ByRank& subtrahend) {
  for (std::size_t rank = 0; rank < values.size(); ++rank)
    std::ranges::transform(values[rank], subtrahend[rank], values[rank].begin(), std::minus());
  return values;
}

/// Per step, the smallest or largest value of all ranks.
std::vector<double> over_ranks(const ByRank& values, bool largest) {
  std::vector<double> chosen = values.front();
  for (const std::vector<double>& rank : values)
    for (std::size_t i = 0; i < chosen.size(); ++i)
      chosen[i] = largest ? std::max(chosen[i], rank[i]) : std::min(chosen[i], rank[i]);
  return chosen;
}

std::optional<TrainingDelay> delay_of(DelayKind kind, std::size_t rank,
                                      const std::vector<double>& seconds, double step) {
  const double limit = (kind == DelayKind::rank ? kMaxDifference : kMaxWait) * step;
  if (!(stats::median_interval(seconds).low > limit)) return std::nullopt;
  const double median = stats::median(seconds);
  return TrainingDelay{.kind = kind, .rank = rank, .seconds = median, .fraction = median / step};
}

std::optional<TrainingDelay> delay_by_rank(const ByRank& own, double step) {
  const ByRank differences = differences_to_others(own);
  std::size_t latest = 0;
  for (std::size_t rank = 1; rank < differences.size(); ++rank)
    if (stats::median(differences[rank]) > stats::median(differences[latest])) latest = rank;
  return delay_of(DelayKind::rank, latest, differences[latest], step);
}

}  // namespace

std::string to_string(DelayKind kind) {
  constexpr std::array kNames{"input", "messages", "rank"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<TrainingDelay> training_delays(const CaseResult& result) {
  std::optional<ByRank> own = duration(result, "step_time");
  if (result.status != Status::ok || !own || own->empty() || own->front().size() < kMinSteps)
    return {};
  const double step = stats::median(over_ranks(*own, true));
  std::vector<TrainingDelay> delays;
  const auto add = [&](const std::optional<TrainingDelay>& delay) {
    if (delay) delays.push_back(*delay);
  };
  if (const auto input = duration(result, "loader_wait")) {
    add(delay_of(DelayKind::input, 0, over_ranks(*input, true), step));
    own = less(std::move(*own), *input);
  }
  if (const auto messages = duration(result, "exposed_communication_time");
      messages && own->size() > 1) {
    add(delay_of(DelayKind::messages, 0, over_ranks(*messages, false), step));
    add(delay_by_rank(less(std::move(*own), *messages), step));
  }
  std::ranges::sort(delays, std::greater(), &TrainingDelay::seconds);
  return delays;
}

std::string delay_text(const TrainingDelay& delay) {
  const std::string amount =
      fmt::format("{} ({:.0f} %)", units::seconds(delay.seconds, 3), 100 * delay.fraction);
  if (delay.kind == DelayKind::rank)
    return fmt::format("rank {} computes {} longer than others", delay.rank, amount);
  return fmt::format("waits for {} {}", to_string(delay.kind), amount);
}

}  // namespace scalemark::analysis
