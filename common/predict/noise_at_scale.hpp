// SPDX-License-Identifier: Apache-2.0
// How long the slowest of many ranks takes, from measured times of some.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace scalemark::predict {

/// The largest of several independent draws from measured times.
struct Slowest {
  double median = 0, mean = 0;
  /// In half of all steps or more the slowest rank takes longer than all times that were measured:
  /// the figures are lower bounds.
  bool is_bound = false;
};

/// Times that ranks took for the same work, pooled over ranks and steps.
class PooledTimes {
 public:
  /// Throws Error without times, or with one that is not positive and finite.
  explicit PooledTimes(std::vector<double> seconds);
  /// Of `ranks` >= 1 that are slow at random and independently of each other: median and mean of
  /// the distribution F(t)^ranks, where F is that of the measured times.
  Slowest slowest_of(double ranks) const;
  std::size_t size() const { return sorted_.size(); }

 private:
  std::vector<double> sorted_;
};

}  // namespace scalemark::predict
