// SPDX-License-Identifier: Apache-2.0
// The stop rules, hand-worked.
#include "common/core/stop_rule.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace scalemark {
namespace {

TEST(StopRule, StopsAtTheGivenCountAndNeverBefore) {
  const SamplingPolicy policy = PolicyChange{.iterations = 12}.apply({});
  EXPECT_EQ(decide(policy, 11, 1e9, true), Stop::no);
  EXPECT_EQ(decide(policy, 12, 0, false), Stop::count);
  EXPECT_EQ(next_batch(policy, 0, 0), 12U);
  EXPECT_EQ(next_batch(policy, 5, 0), 7U);
}

TEST(StopRule, OfACountAndATimeTheFirstStops) {
  const SamplingPolicy policy = PolicyChange{.iterations = 12, .max_time = 1.0}.apply({});
  EXPECT_EQ(decide(policy, 11, 0.9, true), Stop::no) << "an interval is not asked for";
  EXPECT_EQ(decide(policy, 11, 1.0, false), Stop::time);
  EXPECT_EQ(decide(policy, 12, 0.9, false), Stop::count);
  EXPECT_EQ(decide(policy, 12, 2.0, false), Stop::count);
  EXPECT_EQ(next_batch(policy, 0, 0), 1U) << "nobody knows yet how long one takes";
  EXPECT_EQ(next_batch(policy, 1, 0.2), 2U) << "a quarter of the time a batch";
  EXPECT_EQ(next_batch(policy, 10, 1e-3), 2U) << "no more than are left";
}

TEST(StopRule, StopsByTimeByIntervalAndByTheLargestCount) {
  SamplingPolicy policy;
  policy.max_time = 1.0;
  policy.min_time = 0.5;
  policy.max_samples = 1000;
  EXPECT_EQ(decide(policy, 10, 1.0, false), Stop::time);
  EXPECT_EQ(decide(policy, 10, 0.4, true), Stop::no) << "min_time is not over";
  EXPECT_EQ(decide(policy, 10, 0.6, true), Stop::ci);
  EXPECT_EQ(decide(policy, 10, 0.6, false), Stop::no);
  EXPECT_EQ(decide(policy, 1000, 0.1, false), Stop::count);
}

TEST(StopRule, TheIntervalNeedsTheLeastNumberOfSamples) {
  SamplingPolicy policy;
  policy.min_samples = 20;
  std::vector<double> constant(19, 1.0);
  EXPECT_FALSE(interval_reached(policy, constant));
  constant.push_back(1.0);
  EXPECT_TRUE(interval_reached(policy, constant));
}

TEST(StopRule, TheIntervalIsReachedWhenTheNoiseAllowsIt) {
  // For uniform noise of +-10 % the median of n samples is known to about 1.96 * 0.1 / sqrt(n): 10
  // % at n = 4, 2 % at n = 100, 0.3 % at n = 4000.
  SamplingPolicy policy;
  policy.ci_percent = 2;
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> noise(0.9, 1.1);
  std::vector<double> samples;
  for (int i = 0; i < 25; ++i) samples.push_back(noise(random));
  EXPECT_FALSE(interval_reached(policy, samples));
  for (int i = 0; i < 975; ++i) samples.push_back(noise(random));
  EXPECT_TRUE(interval_reached(policy, samples));
}

TEST(StopRule, BatchesStartWithOneAndGrowWithinTheTimeLeft) {
  SamplingPolicy policy;
  policy.max_time = 1.0;
  EXPECT_EQ(next_batch(policy, 0, 0), 1U);
  EXPECT_EQ(next_batch(policy, 1, 1e-6), 5U);
  EXPECT_EQ(next_batch(policy, 100, 1e-4), 100U);
  EXPECT_EQ(next_batch(policy, 1, 0.3), 1U) << "a second sample of 0.3 s fits, five do not";
  EXPECT_EQ(next_batch(policy, 100, 0.9), 12U) << "0.1 s are left at 9 ms each";
  policy.max_samples = 150;
  EXPECT_EQ(next_batch(policy, 100, 1e-4), 50U);
}

TEST(StopRule, BatchesLastNoLongerThanAskedUnderEveryRule) {
  SamplingPolicy policy;
  policy.max_time = 100;
  EXPECT_EQ(next_batch(policy, 100, 10, 1.0), 10U) << "0.1 s each";
  policy = PolicyChange{.iterations = 1000}.apply(policy);
  EXPECT_EQ(next_batch(policy, 0, 0, 1.0), 1U) << "nobody knows yet how long one takes";
  EXPECT_EQ(next_batch(policy, 1, 0.5, 1.0), 2U);
  EXPECT_EQ(next_batch(policy, 400, 4, 1.0), 100U);
  EXPECT_EQ(next_batch(policy, 995, 9.95, 1.0), 5U) << "no more than are left";
  EXPECT_EQ(next_batch(policy, 1, 200, 1.0), 1U) << "a sample is never cut";
  EXPECT_EQ(next_batch(policy, 200, 1e9, 1e9), 200U) << "time limits are none of the count's";
}

}  // namespace
}  // namespace scalemark
