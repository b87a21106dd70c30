// SPDX-License-Identifier: Apache-2.0
// Variance components against a textbook, by hand, and where there are none.
#include "common/stats/random_effects.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "common/stats/limits.hpp"

namespace scalemark::stats {
namespace {

using Groups = std::vector<std::vector<double>>;

// Strength of fabric from four looms (Montgomery, Design and Analysis of Experiments, chapter on
// random factors): variances 6.96 between the looms, 1.90 within them.
TEST(RandomEffects, MeetTheTextbook) {
  const Groups looms = {{98, 97, 99, 96}, {91, 90, 93, 92}, {96, 95, 97, 95}, {95, 96, 99, 98}};
  const RandomEffects spread = random_effects(looms).value();
  EXPECT_NEAR(spread.between * spread.between, (89.1875 / 3 - 22.75 / 12) / 4, 1e-12);
  EXPECT_NEAR(spread.between * spread.between, 6.96, 5e-3);
  EXPECT_NEAR(spread.within * spread.within, 1.90, 5e-3);
}

TEST(RandomEffects, WeighGroupsOfUnequalSize) {
  // By hand: means 2 and 8 of all 5.6; MSB 2 * 3.6^2 + 3 * 2.4^2 = 43.2; MSE (2 + 8) / 3;
  // n0 = 5 - (4 + 9) / 5 = 2.4.
  const RandomEffects spread = random_effects(Groups{{1, 3}, {6, 8, 10}}).value();
  EXPECT_NEAR(spread.within * spread.within, 10.0 / 3, 1e-12);
  EXPECT_NEAR(spread.between * spread.between, (43.2 - 10.0 / 3) / 2.4, 1e-12);
}

TEST(RandomEffects, AreNoneBetweenGroupsCloserThanChance) {
  const RandomEffects spread = random_effects(Groups{{1, 5}, {2, 4}}).value();
  EXPECT_EQ(spread.between, 0);
  EXPECT_NEAR(spread.within * spread.within, 5, 1e-12);
}

TEST(RandomEffects, NeedGroupsAndValues) {
  EXPECT_FALSE(random_effects(Groups{}));
  EXPECT_FALSE(random_effects(Groups{{1, 2, 3}}));
  EXPECT_FALSE(random_effects(Groups{{1, 2}, {}}));
  EXPECT_FALSE(random_effects(Groups{{1}, {2}}));
  EXPECT_FALSE(random_effects(Groups{{1, kNan}, {2, 3}}));
  EXPECT_EQ(random_effects(Groups{{7, 7}, {7}}).value().between, 0);
}

}  // namespace
}  // namespace scalemark::stats
