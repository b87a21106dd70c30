// SPDX-License-Identifier: Apache-2.0
// Median polish over pairs of nodes, and medians over pairs of switches.
#include "common/fleet/slow_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "common/stats/summary.hpp"

namespace scalemark::fleet {
namespace {

constexpr double kMinExcess = 0.1, kDeviations = 5, kFastShare = 0.25;
constexpr int kPolishes = 10;
constexpr std::size_t kMinOfLeaves = 3;

double limit_of(const std::vector<double>& residuals) {
  return std::max(std::log1p(kMinExcess), kDeviations * stats::mad(residuals));
}

using Pair = std::pair<std::size_t, std::size_t>;

/// Logarithms of the measured times of each pair.
std::map<Pair, std::vector<double>> by_pair(std::size_t nodes, std::span<const PairTime> times) {
  std::map<Pair, std::vector<double>> of_pair;
  for (const PairTime& time : times) {
    const bool is_known = time.nodes.a < nodes && time.nodes.b < nodes;
    if (is_known && is_measured(time.seconds))
      of_pair[{time.nodes.a, time.nodes.b}].push_back(std::log(time.seconds));
  }
  return of_pair;
}

/// For each pair the common value and the shares of its two nodes. A pair counts once, with the
/// median of its measurements: else one that was measured again would weigh more than the others of
/// its nodes.
std::map<Pair, double> explained_by_nodes(std::size_t nodes,
                                          const std::map<Pair, std::vector<double>>& of_pair) {
  std::vector<double> medians, residuals;
  std::vector<std::vector<std::size_t>> of_node(nodes);
  for (const auto& [pair, values] : of_pair) {
    of_node[pair.first].push_back(medians.size());
    of_node[pair.second].push_back(medians.size());
    medians.push_back(stats::median(values));
  }
  const double common = stats::median(medians);
  for (const double one : medians) residuals.push_back(one - common);
  for (int polish = 0; polish < kPolishes; ++polish) {
    for (const std::vector<std::size_t>& own : of_node) {
      if (own.empty()) continue;
      std::vector<double> values;
      for (const std::size_t i : own) values.push_back(residuals[i]);
      const double share = stats::median(values);
      for (const std::size_t i : own) residuals[i] -= share;
    }
  }
  std::map<Pair, double> explained;
  std::size_t i = 0;
  for (const auto& [pair, values] : of_pair) {
    explained[pair] = medians[i] - residuals[i];
    ++i;
  }
  return explained;
}

}  // namespace

std::vector<SlowPair> slow_pairs(std::size_t nodes, std::span<const PairTime> times,
                                 std::size_t min_times) {
  const std::map<Pair, std::vector<double>> of_pair = by_pair(nodes, times);
  std::vector<SlowPair> slow;
  if (of_pair.empty()) return slow;
  const std::map<Pair, double> explained = explained_by_nodes(nodes, of_pair);
  std::vector<double> residuals;
  for (const auto& [pair, values] : of_pair)
    for (const double one : values) residuals.push_back(one - explained.at(pair));
  const double limit = limit_of(residuals);
  for (const auto& [pair, values] : of_pair) {
    const double nodes_explain = explained.at(pair);
    const auto beyond = static_cast<std::size_t>(
        std::ranges::count_if(values, [&](double one) { return one - nodes_explain > limit; }));
    if (beyond >= std::max<std::size_t>(1, min_times))
      slow.push_back({.nodes = {pair.first, pair.second},
                      .factor = std::exp(stats::median(values) - nodes_explain),
                      .times = beyond});
  }
  std::ranges::sort(slow, std::greater(), &SlowPair::factor);
  return slow;
}

std::vector<SlowLeaves> slow_leaves(std::span<const std::string> leaves,
                                    std::span<const PairTime> times) {
  std::map<std::pair<std::string, std::string>, std::vector<double>> of_leaves;
  for (const auto& [pair, values] : by_pair(leaves.size(), times))
    of_leaves[std::minmax(leaves[pair.first], leaves[pair.second])].push_back(
        stats::median(values));
  std::map<std::pair<std::string, std::string>, double> medians;
  for (const auto& [names, values] : of_leaves) medians[names] = stats::median(values);
  std::vector<SlowLeaves> slow;
  for (const auto& [names, values] : of_leaves) {
    if (values.size() < kMinOfLeaves || of_leaves.size() < 2) continue;
    std::vector<double> others, residuals;
    for (const auto& [other, of_other] : of_leaves) {
      if (other == names) continue;
      others.push_back(medians.at(other));
      for (const double one : of_other) residuals.push_back(one - others.back());
    }
    std::vector<double> sorted = values;
    std::ranges::sort(sorted);
    const double usual = stats::median(others);
    // Times over a shared link depend on how many share it: the fast ones must be slow, too.
    if (stats::quantile_sorted(sorted, kFastShare) - usual > limit_of(residuals))
      slow.push_back(
          {names.first, names.second, std::exp(medians.at(names) - usual), values.size()});
  }
  std::ranges::sort(slow, std::greater(), &SlowLeaves::factor);
  return slow;
}

}  // namespace scalemark::fleet
