// SPDX-License-Identifier: Apache-2.0
// The largest of independent draws.
#include "common/predict/noise_at_scale.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/base/error.hpp"

namespace scalemark::predict {

PooledTimes::PooledTimes(std::vector<double> seconds) : sorted_(std::move(seconds)) {
  const auto is_time = [](double one) { return std::isfinite(one) && one > 0; };
  if (sorted_.empty() || !std::ranges::all_of(sorted_, is_time))
    throw Error("times of ranks must be positive");
  std::ranges::sort(sorted_);
}

Slowest PooledTimes::slowest_of(double ranks) const {
  if (!(ranks >= 1)) throw Error("the slowest of no ranks");
  const auto count = static_cast<double>(sorted_.size());
  const auto reached = [&](std::size_t i) {  // probability that none is slower than the i-th
    return std::pow(static_cast<double>(i + 1) / count, ranks);
  };
  Slowest slowest;
  double before = 0;
  for (std::size_t i = 0; i < sorted_.size(); ++i) {
    const double here = reached(i);
    slowest.mean += sorted_[i] * (here - before);
    before = here;
  }
  // Times lie between the measured ones; the i-th stands at the probability of its middle.
  const double place = std::pow(0.5, 1 / ranks) * count - 0.5;
  const auto below = static_cast<std::size_t>(std::max(0.0, std::floor(place)));
  if (below + 1 >= sorted_.size()) {
    slowest.median = sorted_.back();
  } else {
    const double part = std::max(0.0, place - static_cast<double>(below));
    slowest.median = sorted_[below] + part * (sorted_[below + 1] - sorted_[below]);
  }
  slowest.is_bound = sorted_.size() < 2 || reached(sorted_.size() - 2) <= 0.5;
  return slowest;
}

}  // namespace scalemark::predict
