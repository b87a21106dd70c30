// SPDX-License-Identifier: Apache-2.0
// Counts by Zipf's law, worked out by hand and by what must hold.
#include "suites/micro/collective/skew.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include <gtest/gtest.h>

namespace scalemark::micro {
namespace {

using Counts = std::vector<std::size_t>;

TEST(Skew, ByHand) {
  EXPECT_EQ(skewed_counts(7, 3, 0), (Counts{7, 7, 7}));
  // 1, 1/2 and 1/3 of 11/6 in 1800: 981.8, 490.9 and 327.3.
  EXPECT_EQ(skewed_counts(600, 3, 1), (Counts{982, 491, 327}));
  EXPECT_EQ(skewed_counts(0, 2, 1), (Counts{0, 0}));
  EXPECT_EQ(skewed_counts(10, 1, 2), (Counts{10}));
}

TEST(Skew, NothingIsLostAndTheFirstHaveMost) {
  for (const double skew : {0.3, 1.0, 2.5, 8.0}) {
    for (const int ranks : {2, 5, 64, 1000}) {
      const Counts counts = skewed_counts(4096, ranks, skew);
      EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::size_t{0}),
                4096U * static_cast<std::size_t>(ranks));
      for (std::size_t k = 1; k < counts.size(); ++k)
        EXPECT_LE(counts[k], counts[k - 1] + 1) << "but for rounding";
      EXPECT_GT(counts.front(), counts.back());
    }
  }
}

}  // namespace
}  // namespace scalemark::micro
