// SPDX-License-Identifier: Apache-2.0
// Groups of steps by size, by hand.
#include "common/predict/step_sizes.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace scalemark::predict {
namespace {

TEST(StepSizes, AreGroupsOfEquallyManySteps) {
  const std::vector<double> sizes{9, 1, 2, 8, 3, 3, 30, 10};
  const std::vector<SizeGroup> groups = size_groups(sizes, 4);
  ASSERT_EQ(groups.size(), 4U);
  const std::vector<double> means{1.5, 3, 8.5, 20};
  for (std::size_t i = 0; i < groups.size(); ++i) {
    EXPECT_DOUBLE_EQ(groups[i].size, means[i]);
    EXPECT_DOUBLE_EQ(groups[i].share, 0.25);
  }
}

TEST(StepSizes, OfOneSizeAreOneGroup) {
  const std::vector<SizeGroup> groups = size_groups(std::vector<double>(7, 64.0), 4);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_DOUBLE_EQ(groups.front().size, 64);
  EXPECT_DOUBLE_EQ(groups.front().share, 1);
}

TEST(StepSizes, FewerStepsThanGroups) {
  EXPECT_TRUE(size_groups({}, 4).empty());
  const std::vector<SizeGroup> groups = size_groups(std::vector<double>{5, 2}, 4);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_DOUBLE_EQ(groups.front().size, 2);
  EXPECT_DOUBLE_EQ(groups.back().share, 0.5);
}

TEST(StepSizes, KeepTheMeanOfAStraightLine) {
  std::vector<double> sizes;
  for (int i = 0; i < 101; ++i) sizes.push_back(40 + std::fmod(37.0 * i * i, 211));
  const double mean =
      std::accumulate(sizes.begin(), sizes.end(), 0.0) / static_cast<double>(sizes.size());
  double shares = 0, kept = 0;
  for (const SizeGroup& group : size_groups(sizes, 4)) {
    shares += group.share;
    kept += group.share * (3 + 2 * group.size);
  }
  EXPECT_NEAR(shares, 1, 1e-12);
  EXPECT_NEAR(kept, 3 + 2 * mean, 1e-9);
}

}  // namespace
}  // namespace scalemark::predict
