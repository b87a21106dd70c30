// SPDX-License-Identifier: Apache-2.0
// Half widths worked out by hand, and how often intervals hold what they promise.
#include "common/predict/conformal.hpp"

#include <cmath>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/error.hpp"

namespace scalemark::predict {
namespace {

TEST(Conformal, TheRankIsRoundedUp) {
  const std::vector<double> nine{-1, 2, -3, 4, 5, -6, 7, 8, -9};
  EXPECT_EQ(conformal_half_width(nine, 0.9), 9);  // 10 x 0.9 = 9
  EXPECT_EQ(conformal_half_width(nine, 0.8), 8);
  EXPECT_EQ(conformal_half_width(nine, 0.5), 5);
  EXPECT_EQ(conformal_half_width(nine, 0.41), 5);  // 4.1
}

TEST(Conformal, TooFewResidualsGiveNoInterval) {
  EXPECT_EQ(residuals_needed(0.9), 9);
  EXPECT_EQ(residuals_needed(0.95), 19);
  EXPECT_EQ(residuals_needed(0.5), 1);
  EXPECT_EQ(conformal_half_width(std::vector<double>(8, 1.0), 0.9), std::nullopt);
  EXPECT_EQ(conformal_half_width({}, 0.5), std::nullopt);
  EXPECT_THROW(residuals_needed(1), Error);
  EXPECT_THROW(conformal_half_width({}, 0), Error);
}

/// 12 residuals and a new value, 20,000 times: 11.7, so 12 of 13 are held, 92.3 %.
TEST(Conformal, HoldsAsOftenAsPromised) {
  std::mt19937 random(1);
  std::student_t_distribution<double> heavy_tails(2);
  constexpr int kTrials = 20000;
  int held = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> residuals(12);
    for (double& one : residuals) one = heavy_tails(random);
    held += std::abs(heavy_tails(random)) <= conformal_half_width(residuals, 0.9).value() ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(held) / kTrials, 12.0 / 13, 0.01);
}

}  // namespace
}  // namespace scalemark::predict
