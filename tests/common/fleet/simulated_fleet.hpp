// SPDX-License-Identifier: Apache-2.0
// A fleet whose pairs take as long as the slower node, times noise.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <span>
#include <vector>

#include "common/fleet/node_verdict.hpp"

namespace scalemark::fleet::test {

class SimulatedFleet {
 public:
  SimulatedFleet(std::size_t nodes, unsigned seed) : slowness_(nodes, 1), random_(seed) {}

  std::size_t size() const { return slowness_.size(); }
  void make_slow(std::size_t node, double factor) { slowness_[node] = factor; }
  double slowness(std::size_t node) const { return slowness_[node]; }
  /// More slowness of a pair; 1 where it is not set.
  std::function<double(const NodePair&)> link = [](const NodePair&) { return 1.0; };

  std::vector<PairTime> measure(std::span<const PairRound> rounds) {
    std::vector<PairTime> times;
    for (const PairRound& round : rounds)
      for (const NodePair& pair : round)
        times.push_back({pair, 0.002 * std::max(slowness_[pair.a], slowness_[pair.b]) * link(pair) *
                                   std::exp(noise_(random_))});
    return times;
  }

 private:
  std::vector<double> slowness_;
  std::mt19937 random_;
  std::normal_distribution<double> noise_{0, 0.03};
};

}  // namespace scalemark::fleet::test
