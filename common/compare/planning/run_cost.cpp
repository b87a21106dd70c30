// SPDX-License-Identifier: Apache-2.0
// Computes duration and within-run variance of cases.
#include "common/compare/planning/run_cost.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "common/base/clock.hpp"
#include "common/base/text.hpp"
#include "common/result/summarise.hpp"
#include "common/stats/limits.hpp"

namespace scalemark::compare {
namespace {

constexpr std::size_t kMinIterations = 10;

double seconds_of(const CaseResult& result) {
  const std::optional<double> start = utc_seconds(result.started),
                              stop = utc_seconds(result.stopped);
  return start && stop && *stop >= *start ? *stop - *start : stats::kNan;
}

double within_of(const CaseResult& result) {
  const Metric* metric = result.find(result.primary_metric);
  if (result.status != Status::ok || metric == nullptr) return stats::kNan;
  const Summary summary = summarise(result, *metric);
  if (summary.n < kMinIterations || !(summary.low > 0) || !(summary.high > 0)) return stats::kNan;
  // The 95 % interval is 2 x 1.96 standard errors wide.
  const double error = std::abs(std::log(summary.high / summary.low)) / (2 * 1.959963984540054);
  return error * error;
}

}  // namespace

void add_case(const CaseResult& result, RunCost& cost) {
  const CaseCost spent{seconds_of(result), within_of(result)};
  if (!cost.cases.emplace(text::printable(result.key), spent).second) return;
  if (std::isnan(spent.seconds)) return;
  cost.seconds = std::isnan(cost.seconds) ? spent.seconds : cost.seconds + spent.seconds;
}

RunCost run_cost(const Run& run) {
  RunCost cost;
  std::set<std::string> nodes;
  for (const RankInfo& rank : run.ranks) nodes.insert(rank.node);
  cost.nodes = nodes.size();
  for (const CaseResult& one : run.cases) add_case(one, cost);
  return cost;
}

void add_part(const RunCost& part, RunCost& whole) {
  whole.nodes = std::max(whole.nodes, part.nodes);
  whole.cases.insert(part.cases.begin(), part.cases.end());
  if (std::isnan(part.seconds)) return;
  whole.seconds = std::isnan(whole.seconds) ? part.seconds : whole.seconds + part.seconds;
}

}  // namespace scalemark::compare
