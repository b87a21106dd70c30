// SPDX-License-Identifier: Apache-2.0
// Compares nodes with their median.
#include "common/fleet/lone_nodes.hpp"

#include <algorithm>
#include <cmath>

#include "common/stats/distributions.hpp"
#include "common/stats/pair_distance.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::fleet {
namespace {

constexpr double kMinSlower = 0.05, kFalselyBad = 0.01, kFalselySuspect = 0.1;
constexpr double kUsualSpread = 0.05, kUsualFreedom = 2;
/// stats::pair_distance() knows as much as a standard deviation of this share of the values.
constexpr double kEfficiency = 0.82;

}  // namespace

std::vector<LoneNode> judge_alone(std::span<const double> seconds, std::size_t measurements) {
  std::vector<double> logarithms;
  for (const double one : seconds)
    if (is_measured(one)) logarithms.push_back(std::log(one));
  std::vector<LoneNode> judged(seconds.size());
  if (logarithms.size() < kMinLoneNodes) {
    for (LoneNode& one : judged) one.verdict = NodeVerdict::untested;
    return judged;
  }
  const double median = stats::median(logarithms), own = stats::pair_distance(logarithms);
  const auto nodes = static_cast<double>(logarithms.size());
  const double known = kEfficiency * (nodes - 1), freedom = kUsualFreedom + known;
  const double sigma =
      std::sqrt((kUsualFreedom * kUsualSpread * kUsualSpread + known * own * own) / freedom);
  const auto limit = [&](double alarms) {
    const double tail =
        alarms / (nodes * static_cast<double>(std::max<std::size_t>(1, measurements)));
    return std::max(std::log1p(kMinSlower), stats::student_t_quantile(1 - tail, freedom) * sigma);
  };
  const double bad = limit(kFalselyBad), suspect = limit(kFalselySuspect);
  for (std::size_t node = 0; node < seconds.size(); ++node) {
    if (!is_measured(seconds[node])) {
      judged[node].verdict = NodeVerdict::untested;
      continue;
    }
    const double beyond = std::log(seconds[node]) - median;
    judged[node].factor = std::exp(beyond);
    if (beyond > suspect)
      judged[node].verdict = beyond > bad ? NodeVerdict::bad : NodeVerdict::suspect;
  }
  return judged;
}

}  // namespace scalemark::fleet
