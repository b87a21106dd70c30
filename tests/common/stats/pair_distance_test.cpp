// SPDX-License-Identifier: Apache-2.0
// Qn against robustbase of R, and on simulated values.
#include "common/stats/pair_distance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace scalemark::stats {
namespace {

TEST(PairDistance, EqualsRobustbase) {
  // Columns of R's data set stackloss; Qn(x, finite.corr = FALSE) of robustbase.
  const std::vector<double> loss{42, 37, 37, 28, 18, 18, 19, 20, 15, 14, 14,
                                 13, 11, 12, 8,  7,  8,  8,  9,  15, 15};
  const std::vector<double> air{80, 80, 75, 62, 62, 62, 62, 62, 58, 58, 58,
                                58, 58, 58, 50, 50, 50, 50, 50, 56, 70};
  const std::vector<double> water{27, 27, 25, 24, 22, 23, 24, 24, 23, 18, 18,
                                  17, 18, 19, 18, 18, 19, 19, 20, 20, 20};
  const std::vector<double> acid{89, 88, 90, 87, 87, 87, 93, 93, 87, 80, 89,
                                 88, 82, 93, 89, 86, 72, 79, 80, 82, 91};
  const double factor = 21 / 22.4;  // for 21 values
  EXPECT_NEAR(pair_distance(loss), 8.87656 * factor, 1e-5);
  EXPECT_NEAR(pair_distance(air), 8.87656 * factor, 1e-5);
  EXPECT_NEAR(pair_distance(water), 2.21914 * factor, 1e-5);
  EXPECT_NEAR(pair_distance(acid), 4.43828 * factor, 1e-5);
}

TEST(PairDistance, IsTheStandardDeviationOfNormalValues) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal(5, 2);
  for (const std::size_t n : {2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U, 10U, 11U, 40U, 41U}) {
    double sum = 0;
    constexpr int kTrials = 20000;
    for (int trial = 0; trial < kTrials; ++trial) {
      std::vector<double> values(n);
      for (double& one : values) one = normal(random);
      sum += pair_distance(values);
    }
    EXPECT_NEAR(sum / kTrials, 2, 0.04) << n;
  }
}

TEST(PairDistance, LessThanHalfOfTheValuesMoveItLittle) {
  std::mt19937 random(2);
  std::normal_distribution<double> normal(0, 1);
  std::vector<double> values(101);
  for (double& one : values) one = normal(random);
  const double before = pair_distance(values);
  for (std::size_t i = 0; i < 20; ++i) values[i] = 1e6;
  EXPECT_LT(pair_distance(values), 2 * before);
}

TEST(PairDistance, OfFewOrEqualValuesIsZero) {
  EXPECT_EQ(pair_distance({}), 0);
  EXPECT_EQ(pair_distance(std::vector{3.0}), 0);
  EXPECT_EQ(pair_distance(std::vector{3.0, 3.0, 3.0}), 0);
  EXPECT_DOUBLE_EQ(pair_distance(std::vector{3.0, 4.0}), 2.21914 * 0.399);
  EXPECT_GT(pair_distance(std::vector{0.0, std::numeric_limits<double>::denorm_min()}), -1)
      << "it ends";
}

}  // namespace
}  // namespace scalemark::stats
