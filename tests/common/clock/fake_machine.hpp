// SPDX-License-Identifier: Apache-2.0
// Nodes with clocks of their own, made of the one clock that the ranks of a test have.
#pragma once

#include <cmath>
#include <cstdint>

#include "common/base/clock.hpp"

namespace scalemark::clock::test {

inline constexpr std::int64_t kSecond = 1'000'000'000;

/// Where time goes on for all ranks alike, and jumps when all say so: minutes pass at once.
class TrueTime {
 public:
  std::uint64_t now() const { return now_ns() + skipped_; }
  /// All ranks call it with equal numbers, before the next message.
  void skip(std::int64_t seconds) { skipped_ += static_cast<std::uint64_t>(seconds * kSecond); }

 private:
  std::uint64_t skipped_ = 0;
};

/// The clock of a node: set wrong by up to some minutes, and, from `origin` on, fast or slow by
/// `ppm` millionths.
class NodeClock {
 public:
  explicit NodeClock(int node, double ppm = 0, std::int64_t origin = 0)
      : offset_((1000 + 37 * (node * node % 11) - 53 * node) * kSecond + 12'345 * node),
        drift_((node % 2 == 0 ? -1e-6 : 1e-6) * ppm),
        origin_(origin) {}

  /// What it shows at a moment of true time.
  std::uint64_t at(std::uint64_t true_time) const {
    const auto time = static_cast<std::int64_t>(true_time);
    return static_cast<std::uint64_t>(time + offset_ +
                                      std::llround(drift_ * static_cast<double>(time - origin_)));
  }
  void step(std::int64_t seconds) { offset_ += seconds * kSecond; }

 private:
  std::int64_t offset_;
  double drift_;
  std::int64_t origin_;
};

}  // namespace scalemark::clock::test
