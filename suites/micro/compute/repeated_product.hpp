// SPDX-License-Identifier: Apache-2.0
// One product over and over: how long each takes, and whether its result stays the same.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "suites/micro/compute/gemm_engine.hpp"

namespace scalemark::micro {

class RepeatedProduct {
 public:
  /// One value for each interval.
  struct Intervals {
    std::vector<std::uint64_t> began;           ///< as now_ns()
    std::vector<double> seconds;                ///< of one product
    std::vector<std::uint64_t> wrong_elements;  ///< of the last product's result
  };

  /// Computes the result that the others are compared with. `progress` is called a few times per
  /// second.
  RepeatedProduct(GemmEngine& engine, std::function<void()> progress);

  /// Multiplies without pause for at least so long, then compares the last result, bit by bit.
  void run_interval(std::uint64_t nanoseconds);
  const Intervals& intervals() const { return intervals_; }
  /// Elements compared so far.
  std::uint64_t checked() const { return checked_; }

 private:
  std::uint64_t multiply(std::uint64_t times);
  std::uint64_t compare();

  GemmEngine& engine_;
  std::function<void()> progress_;
  GemmResult expected_;
  std::uint64_t batch_ = 1, checked_ = 0;
  Intervals intervals_;
};

/// The part of the first rate that is lost at the end: 1 - the median time of the first quarter of
/// intervals / that of the last. Below 0 where the rate rose. NaN if there are none.
double lost_rate(const std::vector<double>& seconds);

}  // namespace scalemark::micro
