// SPDX-License-Identifier: Apache-2.0
// The shuffle loses nothing, gives every order equally often, and the same one everywhere.
#include "common/stats/shuffle.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <gtest/gtest.h>

namespace scalemark::stats {
namespace {

TEST(Shuffle, IsThatOfTheStandardsGenerator) {
  // The 10,000th number of the default seed is fixed by the standard ([rand.predef]).
  std::mt19937_64 random;
  random.discard(9999);
  ASSERT_EQ(random(), 9981545732273789042U);
}

TEST(Shuffle, KeepsWhatThereIs) {
  std::mt19937_64 random(7);
  for (std::size_t n = 0; n < 20; ++n) {
    std::vector<std::size_t> items(n), expected(n);
    for (std::size_t i = 0; i < n; ++i) items[i] = expected[i] = i;
    shuffle(items, random);
    std::ranges::sort(items);
    EXPECT_EQ(items, expected);
  }
}

TEST(Shuffle, GivesEveryOrderEquallyOften) {
  std::mt19937_64 random(1);
  std::map<std::vector<int>, int> seen;
  for (int i = 0; i < 24'000; ++i) {
    std::vector<int> items = {1, 2, 3, 4};
    shuffle(items, random);
    ++seen[items];
  }
  EXPECT_EQ(seen.size(), 24U);
  // 1000 each with a standard deviation of 31.
  for (const auto& [order, times] : seen) EXPECT_NEAR(times, 1000, 5 * 31);
}

}  // namespace
}  // namespace scalemark::stats
