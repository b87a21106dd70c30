// SPDX-License-Identifier: Apache-2.0
// Times and inner noise of the cases of a run.
#include "common/report/run_cost.hpp"

#include <cmath>
#include <optional>
#include <set>

#include "common/base/clock.hpp"
#include "common/base/text.hpp"
#include "common/result/summarise.hpp"
#include "common/stats/limits.hpp"

namespace scalemark::report {
namespace {

constexpr std::size_t kLeastIterations = 10;

double seconds_of(const CaseResult& result) {
  const std::optional<double> start = utc_seconds(result.started),
                              stop = utc_seconds(result.stopped);
  return start && stop && *stop >= *start ? *stop - *start : stats::kNan;
}

double within_of(const CaseResult& result) {
  const Metric* metric = result.find(result.primary_metric);
  if (result.status != Status::ok || metric == nullptr) return stats::kNan;
  const Summary summary = summarise(result, *metric);
  if (summary.n < kLeastIterations || !(summary.low > 0) || !(summary.high > 0)) return stats::kNan;
  // The interval is +-1.96 standard errors wide.
  const double error = std::abs(std::log(summary.high / summary.low)) / (2 * 1.959963984540054);
  return error * error;
}

}  // namespace

RunCost run_cost(const Run& run) {
  RunCost cost;
  std::set<std::string> nodes;
  for (const RankInfo& rank : run.ranks) nodes.insert(rank.node);
  cost.nodes = nodes.size();
  bool timed = false;
  for (const CaseResult& one : run.cases) {
    const CaseCost spent{seconds_of(one), within_of(one)};
    if (!cost.cases.emplace(text::printable(one.key), spent).second) continue;
    if (std::isnan(spent.seconds)) continue;
    cost.seconds += spent.seconds;
    timed = true;
  }
  if (!timed) cost.seconds = stats::kNan;
  return cost;
}

}  // namespace scalemark::report
