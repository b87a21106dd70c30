// SPDX-License-Identifier: Apache-2.0
// Finds the rank that is later than clock error and barrier exit times can explain.
#include "common/analysis/late_rank.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "common/analysis/rank_differences.hpp"
#include "common/base/units.hpp"
#include "common/result/summarise.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::analysis {
namespace {

constexpr double kMinFraction = 0.02, kResiduals = 3;
constexpr std::size_t kMinIterations = 20;

double fact(const CaseResult& result, const std::string& name) {
  const auto* value = find_as<double>(result.facts, name);
  return value == nullptr ? 0 : *value;
}

}  // namespace

std::optional<LateRank> late_rank(const CaseResult& result) {
  const Metric* lateness = result.find("lateness");
  const Metric* primary = result.find(result.primary_metric);
  if (result.status != Status::ok || primary == nullptr || lateness == nullptr ||
      lateness->kind != MetricKind::duration || lateness->samples.ranks < 2)
    return std::nullopt;
  if (primary->kind == MetricKind::rate) primary = result.find(primary->source);
  if (primary == nullptr || primary->kind != MetricKind::duration) return std::nullopt;
  const std::vector<std::vector<double>> relative =
      differences_to_others(counted_values(lateness->samples, lateness->samples));
  if (relative.front().size() < kMinIterations) return std::nullopt;

  double iteration = median_of(result, *primary);
  if (const Metric* before = result.find("local_time")) iteration += median_of(result, *before);
  LateRank latest;
  for (std::size_t rank = 0; rank < relative.size(); ++rank) {
    const double median = stats::median(relative[rank]);
    if (rank == 0 || median > latest.seconds) latest = {rank, median, median / iteration};
  }
  const double limit =
      std::max({kMinFraction * iteration, kResiduals * fact(result, "clock_residual"),
                fact(result, "barrier_time")});
  if (!(stats::median_interval(relative[latest.rank]).low > limit)) return std::nullopt;
  return latest;
}

std::string late_text(const LateRank& late) {
  return fmt::format("rank {} is late by {} ({:.1f} %)", late.rank, units::seconds(late.seconds, 3),
                     100 * late.fraction);
}

}  // namespace scalemark::analysis
