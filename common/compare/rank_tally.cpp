// SPDX-License-Identifier: Apache-2.0
// Computes how much slower each rank is within a case.
#include "common/compare/rank_tally.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/result/case_timing.hpp"
#include "common/result/summarise.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::compare {
namespace {

constexpr std::size_t kMinRanks = 2;
constexpr double kRobustDeviations = 5, kMinSlower = 0.02;
/// With two ranks there is no majority that shows the usual time, so the limit is higher.
constexpr double kMinSlowerOfTwo = 0.1;
/// For a long case, this many evenly spaced iterations suffice and limit the memory.
constexpr std::size_t kMaxIterations = 512;
constexpr std::size_t kLongestName = 120;  // longest host name or GPU UUID, bytes

std::vector<std::size_t> chosen_iterations(const Samples& samples) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < samples.iterations; ++i) {
    if (!samples.is_warmup(i)) all.push_back(i);
  }
  if (all.size() <= kMaxIterations) return all;
  std::vector<std::size_t> some;
  for (std::size_t i = 0; i < kMaxIterations; ++i)
    some.push_back(all[i * all.size() / kMaxIterations]);
  return some;
}

/// Per rank: ln of the median over iterations of its time / the median over ranks.
std::vector<double> relative_times(const Samples& samples) {
  std::vector<std::vector<double>> ratios(samples.ranks);
  std::vector<double> column(samples.ranks);
  for (const std::size_t i : chosen_iterations(samples)) {
    for (std::size_t rank = 0; rank < samples.ranks; ++rank) column[rank] = samples.value(rank, i);
    const double middle = stats::median(column);
    if (!(middle > 0)) continue;
    for (std::size_t rank = 0; rank < samples.ranks; ++rank)
      ratios[rank].push_back(column[rank] / middle);
  }
  std::vector<double> slowness;
  for (const std::vector<double>& ratio : ratios)
    slowness.push_back(std::log(stats::median(ratio)));
  return slowness;
}

/// Per rank: its lateness beyond the median over ranks, relative to `time` (s), as ln(1 + x).
std::vector<double> relative_lateness(const Samples& lateness, double time) {
  std::vector<double> late;
  const std::vector<std::size_t> iterations = chosen_iterations(lateness);
  for (std::size_t rank = 0; rank < lateness.ranks; ++rank) {
    std::vector<double> values;
    for (const std::size_t i : iterations) values.push_back(lateness.value(rank, i));
    late.push_back(stats::median(values));
  }
  const double middle = stats::median(late);
  for (double& one : late) one = std::log1p(std::max(-0.99, (one - middle) / time));
  return late;
}

const Metric* timed(const CaseResult& result, const std::string& name) {
  const Metric* metric = duration_of(result, name);
  const bool usable =
      metric != nullptr && metric->samples.ranks >= kMinRanks && metric->samples.iterations > 0;
  return usable ? metric : nullptr;
}

}  // namespace

std::vector<RankTally> rank_tallies(const std::vector<RankInfo>& ranks) {
  std::vector<RankTally> tallies;
  for (const RankInfo& rank : ranks) {
    RankTally tally;
    tally.place = fmt::format("rank {} on {}", rank.rank, text::printable(rank.node, kLongestName));
    if (!rank.gpu_uuid.empty())
      tally.place += fmt::format(" ({})", text::printable(rank.gpu_uuid, kLongestName));
    tallies.push_back(std::move(tally));
  }
  return tallies;
}

std::vector<double> rank_slowness(const CaseResult& result) {
  const Metric* primary = timed(result, result.primary_metric);
  if (const Metric* lateness = timed(result, "lateness");
      lateness != nullptr && primary != nullptr) {
    const double time = median_of(result, *primary);
    return time > 0 ? relative_lateness(lateness->samples, time) : std::vector<double>();
  }
  if (const Metric* own = timed(result, "local_time")) return relative_times(own->samples);
  if (primary != nullptr && is_rank_local(result)) return relative_times(primary->samples);
  return {};
}

void tally(const CaseResult& result, std::vector<RankTally>& tallies) {
  if (result.status != Status::ok) return;
  // After a resume, this case may have run on other hosts than those in the tallies.
  if (result.facts.contains("hosts")) return;
  const std::vector<double> slowness = rank_slowness(result);
  if (slowness.size() < kMinRanks || slowness.size() > tallies.size()) return;
  const bool two = slowness.size() == 2;
  const double middle = two ? std::min(slowness[0], slowness[1]) : stats::median(slowness);
  const double limit =
      two ? std::log1p(kMinSlowerOfTwo)
          : std::max(kRobustDeviations * stats::mad(slowness), std::log1p(kMinSlower));
  if (!std::isfinite(middle)) return;
  // If neither of two ranks is clearly slower, the case says nothing.
  if (two && !(std::max(slowness[0], slowness[1]) - middle > limit)) return;
  for (std::size_t rank = 0; rank < slowness.size(); ++rank) {
    RankTally& tally = tallies[rank];
    ++tally.cases;
    tally.expected += 1 / static_cast<double>(slowness.size());
    const double beyond = slowness[rank] - middle;
    if (!(beyond > limit)) continue;
    ++tally.slow;
    tally.slower.push_back(static_cast<float>(std::expm1(beyond)));
  }
}

}  // namespace scalemark::compare
