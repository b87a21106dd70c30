// SPDX-License-Identifier: Apache-2.0
// The largest of independent draws, against distributions whose maxima are known.
#include "common/predict/noise_at_scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "common/base/error.hpp"

namespace scalemark::predict {
namespace {

std::vector<double> exponential(std::size_t count) {
  // At the middles of equal probabilities, so that nothing is left to chance.
  std::vector<double> times;
  for (std::size_t i = 0; i < count; ++i)
    times.push_back(1 - std::log1p(-(static_cast<double>(i) + 0.5) / static_cast<double>(count)));
  return times;
}

TEST(NoiseAtScale, TheLargestOfExponentialTimesIsAHarmonicNumber) {
  const PooledTimes times(exponential(100'000));
  double harmonic = 0;
  for (int ranks = 1; ranks <= 256; ++ranks) {
    harmonic += 1.0 / ranks;
    if ((ranks & (ranks - 1)) != 0) continue;
    const Slowest slowest = times.slowest_of(ranks);
    EXPECT_NEAR(slowest.mean, 1 + harmonic, 0.01 * harmonic) << ranks;
    // F(t)^n = 1/2 at t = -log(1 - 2^(-1/n)).
    EXPECT_NEAR(slowest.median, 1 - std::log(1 - std::pow(0.5, 1.0 / ranks)), 0.01) << ranks;
    EXPECT_FALSE(slowest.is_bound) << ranks;
  }
}

TEST(NoiseAtScale, MeasuredMaximaOfManyRanksAreFoundFromFew) {
  std::mt19937_64 random(1);
  std::gamma_distribution<double> noise(2, 0.01);
  const auto draw = [&](std::size_t count) {
    std::vector<double> times(count);
    for (double& one : times) one = 1 + noise(random);
    return times;
  };
  const PooledTimes few(draw(2000));
  std::vector<double> largest;
  for (int step = 0; step < 1001; ++step) {
    const std::vector<double> all = draw(64);
    largest.push_back(*std::max_element(all.begin(), all.end()));
  }
  std::nth_element(largest.begin(), largest.begin() + 500, largest.end());
  EXPECT_NEAR(few.slowest_of(64).median, largest[500], 0.003);
}

TEST(NoiseAtScale, BeyondTheMeasuredTimesThereIsOnlyABound) {
  const PooledTimes times(exponential(20));
  EXPECT_FALSE(times.slowest_of(8).is_bound);
  const Slowest slowest = times.slowest_of(64);
  EXPECT_TRUE(slowest.is_bound);
  EXPECT_DOUBLE_EQ(slowest.median, exponential(20).back());
  EXPECT_LE(slowest.mean, slowest.median);
  const Slowest only = PooledTimes({3}).slowest_of(1);
  EXPECT_TRUE(only.is_bound);
  EXPECT_DOUBLE_EQ(only.median, 3);
  EXPECT_DOUBLE_EQ(only.mean, 3);
}

TEST(NoiseAtScale, TimesMustBePositive) {
  EXPECT_THROW(PooledTimes({}), Error);
  EXPECT_THROW(PooledTimes({1, 0}), Error);
  EXPECT_THROW(PooledTimes({1, std::numeric_limits<double>::infinity()}), Error);
  EXPECT_THROW(PooledTimes({1}).slowest_of(0), Error);
}

}  // namespace
}  // namespace scalemark::predict
