// SPDX-License-Identifier: Apache-2.0
// Speed-up, efficiency, serial fraction and their errors on hand-worked numbers.
#include "common/stats/scaling.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace scalemark::stats {
namespace {

// T(1) = 100, T(4) = 40: S = 2.5, E = 0.625, e = (1/2.5 - 1/4) / (1 - 1/4) = 0.2.
// ln-variances 3e-4 and 1e-4, 4 df each: sum 4e-4, df = 16e-8 / (9e-8/4 + 1e-8/4) = 6.4.
constexpr ScalePoint kOne{1, 100, 3e-4, 4};
constexpr ScalePoint kFour{4, 40, 1e-4, 4};

TEST(Scaling, FollowsTheDefinitions) {
  const LogRatio ratio = speed_up(kOne, kFour);
  EXPECT_DOUBLE_EQ(ratio.value, 2.5);
  EXPECT_DOUBLE_EQ(ratio.log_variance, 4e-4);
  EXPECT_NEAR(ratio.df, 6.4, 1e-12);
  EXPECT_DOUBLE_EQ(strong_efficiency(kOne, kFour).value, 0.625);
  EXPECT_DOUBLE_EQ(weak_efficiency(kOne, {4, 125, 0, 0}).value, 0.8);
  // With a base of two workers: T(2) = 60 -> T(4) = 40 is 1.5 of 2.
  EXPECT_DOUBLE_EQ(strong_efficiency({2, 60, 0, 0}, kFour).value, 0.75);
}

// t(.975, 6) = 2.4469 and t(.975, 7) = 2.3646 enclose the quantile of 6.4 df; sd(ln S) = 0.02.
TEST(Scaling, IntervalIsSymmetricOnTheLogScale) {
  const LogRatio ratio = speed_up(kOne, kFour);
  const Interval interval = ratio.interval();
  EXPECT_NEAR(interval.low * interval.high, 2.5 * 2.5, 1e-12);
  EXPECT_LT(interval.high, 2.5 * std::exp(2.4469 * 0.02));
  EXPECT_GT(interval.high, 2.5 * std::exp(2.3646 * 0.02));
  const Interval exact = speed_up({1, 100, 0, 0}, {4, 40, 0, 0}).interval();
  EXPECT_EQ(exact.low, 2.5);
  EXPECT_EQ(exact.high, 2.5);
}

// The error by the formula, 0.4 * 0.02 / 0.75, and by moving T(4) by one standard deviation.
TEST(KarpFlatt, HasTheErrorOfItsDerivative) {
  const SerialFraction fraction = karp_flatt(kOne, kFour).value();
  EXPECT_NEAR(fraction.value, 0.2, 1e-15);
  EXPECT_NEAR(fraction.standard_error, 0.4 * 0.02 / 0.75, 1e-15);
  const ScalePoint slower{4, 40 * std::exp(0.0002), 0, 0};
  const double moved = karp_flatt(kOne, slower).value().value - fraction.value;
  EXPECT_NEAR(moved / 0.0002, fraction.standard_error / 0.02, 1e-4);
  EXPECT_FALSE(karp_flatt(kOne, kOne));
  EXPECT_LT(karp_flatt(kOne, {4, 20, 0, 0}).value().value, 0) << "better than linear";
  const Interval interval = fraction.interval();
  EXPECT_NEAR(interval.low + interval.high, 0.4, 1e-12);
  EXPECT_LT(interval.low, fraction.value);
}

TEST(Amdahl, FindsTheTwoParts) {
  std::vector<ScalePoint> points;
  for (const double workers : {1.0, 2.0, 4.0, 8.0, 16.0})
    points.push_back({workers, 20 + 80 / workers, 0, 0});
  const AmdahlFit fit = fit_amdahl(points).value();
  EXPECT_NEAR(fit.serial, 20, 1e-9);
  EXPECT_NEAR(fit.parallel, 80, 1e-9);
  EXPECT_NEAR(fit.serial_fraction(), 0.2, 1e-11);
  EXPECT_NEAR(fit.time(32), 22.5, 1e-9);
  EXPECT_NEAR(fit.relative_rms, 0, 1e-12);
  // More workers take longer: all is serial, and no part is negative.
  const AmdahlFit worse = fit_amdahl(std::vector<ScalePoint>{{1, 10}, {2, 12}}).value();
  EXPECT_EQ(worse.parallel, 0);
  EXPECT_GT(worse.serial, 10);
  // Better than linear: nothing is.
  EXPECT_EQ(fit_amdahl(std::vector<ScalePoint>{{1, 10}, {2, 4}}).value().serial, 0);
  EXPECT_FALSE(fit_amdahl(std::vector<ScalePoint>{{4, 10}, {4, 12}}));
  EXPECT_FALSE(fit_amdahl(std::vector<ScalePoint>{{1, 10}, {2, 0}}));
}

}  // namespace
}  // namespace scalemark::stats
