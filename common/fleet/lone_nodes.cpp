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

/// A standard deviation of logarithms, and the degrees of freedom behind it.
struct Sigma {
  double value, freedom;
};

/// `variance` with `known` degrees of freedom, moderated by the usual spread.
Sigma moderated(double variance, double known) {
  const double freedom = kUsualFreedom + known;
  return {std::sqrt((kUsualFreedom * kUsualSpread * kUsualSpread + known * variance) / freedom),
          freedom};
}

/// The logarithm beyond which one of `comparisons` is an alarm, so that all of them together raise
/// `alarms` without a slow node.
double limit(const Sigma& sigma, double alarms, double comparisons) {
  const double z = stats::student_t_quantile(1 - alarms / comparisons, sigma.freedom);
  return std::max(std::log1p(kMinSlower), z * sigma.value);
}

LoneNode judged(double beyond, double bad, double suspect) {
  LoneNode node{.verdict = NodeVerdict::ok, .factor = std::exp(beyond)};
  if (beyond > suspect) node.verdict = beyond > bad ? NodeVerdict::bad : NodeVerdict::suspect;
  return node;
}

}  // namespace

std::vector<LoneNode> judge_alone(std::span<const double> seconds, std::size_t measurements) {
  std::vector<double> logarithms;
  for (const double one : seconds)
    if (is_measured(one)) logarithms.push_back(std::log(one));
  std::vector<LoneNode> all(seconds.size());
  if (logarithms.size() < kMinLoneNodes) {
    for (LoneNode& one : all) one.verdict = NodeVerdict::untested;
    return all;
  }
  const double median = stats::median(logarithms), own = stats::pair_distance(logarithms);
  const auto nodes = static_cast<double>(logarithms.size());
  const Sigma sigma = moderated(own * own, kEfficiency * (nodes - 1));
  const double comparisons = nodes * static_cast<double>(std::max<std::size_t>(1, measurements));
  const double bad = limit(sigma, kFalselyBad, comparisons),
               suspect = limit(sigma, kFalselySuspect, comparisons);
  for (std::size_t node = 0; node < seconds.size(); ++node) {
    if (is_measured(seconds[node]))
      all[node] = judged(std::log(seconds[node]) - median, bad, suspect);
    else
      all[node].verdict = NodeVerdict::untested;
  }
  return all;
}

std::vector<LoneNode> judge_against(std::span<const double> factors, double variance,
                                    std::size_t runs, std::size_t comparisons) {
  const auto n = static_cast<double>(runs), tests = static_cast<double>(comparisons);
  Sigma sigma = moderated(variance, n - 1);
  sigma.value *= std::sqrt(1 + 1 / n);
  const double bad = limit(sigma, kFalselyBad, tests),
               suspect = limit(sigma, kFalselySuspect, tests);
  std::vector<LoneNode> all;
  for (const double factor : factors) all.push_back(judged(std::log(factor), bad, suspect));
  return all;
}

}  // namespace scalemark::fleet
