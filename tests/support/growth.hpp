// SPDX-License-Identifier: Apache-2.0
// How processor time grows with the size of the input: no absolute time, and the least of several
// runs, because the machine may be busy.
#pragma once

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <functional>
#include <limits>

namespace scalemark::test {

/// Twice the input may take up to this times as long: linear is 2, quadratic is 4.
inline constexpr double kMostGrowth = 3;

/// Processor time of this process, s.
inline double processor_seconds(const std::function<void()>& work) {
  const std::clock_t begin = std::clock();
  work();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

/// Processor time of `work` with 2n by that with n: the least of up to five runs each. Stops as
/// soon as the quotient is below kMostGrowth.
inline double growth(std::size_t n, const std::function<void(std::size_t)>& work) {
  double once = std::numeric_limits<double>::infinity(), twice = once;
  for (int run = 0; run < 5; ++run) {
    once = std::min(once, processor_seconds([&] { work(n); }));
    twice = std::min(twice, processor_seconds([&] { work(2 * n); }));
    if (twice < kMostGrowth * once) break;
  }
  return twice / once;
}

}  // namespace scalemark::test
