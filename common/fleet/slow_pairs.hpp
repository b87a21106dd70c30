// SPDX-License-Identifier: Apache-2.0
// Slow links: pairs of nodes, or of switches, that are slower than their nodes explain.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "common/fleet/node_verdict.hpp"

namespace scalemark::fleet {

struct SlowPair {
  NodePair nodes;
  double factor = 1;      ///< time / what its two nodes explain, the median of its measurements
  std::size_t times = 0;  ///< measurements that were slow
};

/// Pairs that are slow by themselves. Logarithmic times are split into a common value, a share of
/// each node and a residual, by median polish (Tukey 1977). A pair is slow if its residual is above
/// 10 % and five sigmas, the scaled median absolute deviation of all residuals, in at least
/// `min_times` measurements. The slowest first.
std::vector<SlowPair> slow_pairs(std::size_t nodes, std::span<const PairTime> times,
                                 std::size_t min_times);

struct SlowLeaves {
  std::string a, b;       ///< names of the switches, in order
  double factor = 1;      ///< median time between them / median of the others
  std::size_t pairs = 0;  ///< of nodes, between them
};

/// Pairs of switches between which nodes are slow: three quarters of their times are above the
/// median of all other pairs of switches by 10 % and by five sigmas. Sigma is the scaled median
/// absolute deviation of the others' times from the median of their switches. A pair of nodes
/// counts once, with the median of its measurements, and at least three are needed. `leaves` has
/// the switch of each node. `times` should have no pairs of bad nodes, which would make their
/// switch look slow. The slowest first.
std::vector<SlowLeaves> slow_leaves(std::span<const std::string> leaves,
                                    std::span<const PairTime> times);

}  // namespace scalemark::fleet
