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

/// What is left of each time without the common value and the shares of its two nodes.
std::vector<double> residuals_of(std::size_t nodes, const std::vector<Measured>& all) {
  std::vector<double> residuals;
  for (const Measured& one : all) residuals.push_back(one.logarithm);
  const double common = stats::median(residuals);
  for (double& one : residuals) one -= common;
  std::vector<std::vector<std::size_t>> of_node(nodes);
  for (std::size_t i = 0; i < all.size(); ++i) {
    of_node[all[i].nodes.a].push_back(i);
    of_node[all[i].nodes.b].push_back(i);
  }
  for (int polish = 0; polish < kPolishes; ++polish) {
    for (const std::vector<std::size_t>& own : of_node) {
      if (own.empty()) continue;
      std::vector<double> values;
      for (const std::size_t i : own) values.push_back(residuals[i]);
      const double share = stats::median(values);
      for (const std::size_t i : own) residuals[i] -= share;
    }
  }
  return residuals;
}

}  // namespace

std::vector<SlowPair> slow_pairs(std::size_t nodes, std::span<const PairTime> times,
                                 std::size_t min_times) {
  const std::vector<Measured> all = measured(nodes, times);
  std::vector<SlowPair> slow;
  if (all.empty()) return slow;
  const std::vector<double> residuals = residuals_of(nodes, all);
  const double limit = limit_of(residuals);
  std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> of_pair;
  for (std::size_t i = 0; i < all.size(); ++i)
    of_pair[{all[i].nodes.a, all[i].nodes.b}].push_back(residuals[i]);
  for (const auto& [nodes_of, values] : of_pair) {
    const auto beyond = static_cast<std::size_t>(
        std::ranges::count_if(values, [&](double one) { return one > limit; }));
    if (beyond >= std::max<std::size_t>(1, min_times))
      slow.push_back({.nodes = {nodes_of.first, nodes_of.second},
                      .factor = std::exp(stats::median(values)),
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
