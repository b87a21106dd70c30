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

constexpr double kMinExcess = 0.1, kDeviations = 5;
constexpr int kPolishes = 10;
constexpr std::size_t kMinOfLeaves = 3;

/// A measured pair and the logarithm of its time.
struct Measured {
  NodePair nodes;
  double logarithm = 0;
};

std::vector<Measured> measured(std::size_t nodes, std::span<const PairTime> times) {
  std::vector<Measured> all;
  for (const PairTime& time : times) {
    const bool is_known = time.nodes.a < nodes && time.nodes.b < nodes;
    if (is_known && time.seconds > 0 && std::isfinite(time.seconds))
      all.push_back({time.nodes, std::log(time.seconds)});
  }
  return all;
}

double limit_of(const std::vector<double>& residuals) {
  return std::max(std::log1p(kMinExcess), kDeviations * stats::mad(residuals));
}

using Pair = std::pair<std::size_t, std::size_t>;

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
  std::map<Pair, std::vector<double>> of_pair;
  for (const Measured& one : measured(nodes, times))
    of_pair[{one.nodes.a, one.nodes.b}].push_back(one.logarithm);
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
  for (const Measured& one : measured(leaves.size(), times))
    of_leaves[std::minmax(leaves[one.nodes.a], leaves[one.nodes.b])].push_back(one.logarithm);
  std::vector<double> within;
  for (const auto& [names, values] : of_leaves) {
    const double median = stats::median(values);
    for (const double one : values) within.push_back(one - median);
  }
  std::vector<SlowLeaves> slow;
  for (const auto& [names, values] : of_leaves) {
    std::vector<double> others;
    for (const auto& [other, of_other] : of_leaves)
      if (other != names) others.push_back(stats::median(of_other));
    if (values.size() < kMinOfLeaves || others.empty()) continue;
    const double beyond = stats::median(values) - stats::median(others);
    if (beyond > limit_of(within))
      slow.push_back({names.first, names.second, std::exp(beyond), values.size()});
  }
  std::ranges::sort(slow, std::greater(), &SlowLeaves::factor);
  return slow;
}

}  // namespace scalemark::fleet
