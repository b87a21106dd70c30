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

/// The larger input by the smaller.
inline constexpr std::size_t kGrowthSpan = 8;

/// The larger input may take up to this times as long: linear is 8, quadratic is 64. Twice the
/// linear time still passes, because caches and page faults cost larger inputs more.
inline constexpr double kMostGrowth = 20;

/// Processor time of this process, s.
inline double processor_seconds(const std::function<void()>& work) {
  const std::clock_t begin = std::clock();
  work();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

/// Processor time of `work` with kGrowthSpan * n by that with n: the least of up to five runs
/// each. Stops as soon as the quotient is below kMostGrowth.
inline double growth(std::size_t n, const std::function<void(std::size_t)>& work) {
  double small = std::numeric_limits<double>::infinity(), large = small;
  for (int run = 0; run < 5; ++run) {
    small = std::min(small, processor_seconds([&] { work(n); }));
    large = std::min(large, processor_seconds([&] { work(kGrowthSpan * n); }));
    if (large < kMostGrowth * small) break;
  }
  return large / small;
}

}  // namespace scalemark::test
