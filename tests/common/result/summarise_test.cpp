// SPDX-License-Identifier: Apache-2.0
// Reductions over ranks and summaries, worked by hand.
#include "common/result/summarise.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"

namespace scalemark {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;

/// Two ranks, four iterations in ns, the first a warm-up.
CaseResult two_ranks() {
  Metric latency;
  latency.name = "latency";
  latency.unit = "s";
  latency.samples.ranks = 2;
  latency.samples.iterations = 4;
  latency.samples.values = std::vector<std::uint64_t>{900, 10, 20, 30, 900, 40, 10, 20};
  latency.samples.scale = 1e-9;
  latency.samples.warmup = {1, 0, 0, 0};
  Metric bandwidth;
  bandwidth.name = "bandwidth";
  bandwidth.unit = "By/s";
  bandwidth.kind = MetricKind::rate;
  bandwidth.better = Better::higher;
  bandwidth.source = "latency";
  bandwidth.numerator = 600;
  CaseResult result;
  result.key = "micro/x";
  result.metrics = {latency, bandwidth};
  return result;
}

std::vector<double> reduced_by(RankReduce reduce) {
  CaseResult result = two_ranks();
  result.metrics[0].rank_reduce = reduce;
  return per_iteration(result, result.metrics[0]);
}

TEST(PerIteration, ReducesRanksAndLeavesOutWarmup) {
  EXPECT_THAT(reduced_by(RankReduce::max),
              ElementsAre(DoubleEq(40e-9), DoubleEq(20e-9), DoubleEq(30e-9)));
  EXPECT_THAT(reduced_by(RankReduce::mean),
              ElementsAre(DoubleEq(25e-9), DoubleEq(15e-9), DoubleEq(25e-9)));
  EXPECT_THAT(reduced_by(RankReduce::root),
              ElementsAre(DoubleEq(10e-9), DoubleEq(20e-9), DoubleEq(30e-9)));
  EXPECT_THAT(reduced_by(RankReduce::sum),
              ElementsAre(DoubleEq(50e-9), DoubleEq(30e-9), DoubleEq(50e-9)));
}

TEST(PerIteration, DerivesRates) {
  const CaseResult result = two_ranks();
  EXPECT_THAT(per_iteration(result, result.metrics[1]),
              ElementsAre(DoubleEq(15e9), DoubleEq(30e9), DoubleEq(20e9)));
}

TEST(PerIteration, RefusesARateOfNothing) {
  CaseResult result = two_ranks();
  result.metrics[1].source = "missing";
  EXPECT_THROW(per_iteration(result, result.metrics[1]), Error);
  result.metrics[1].source = "bandwidth";  // of itself: a file could say so
  EXPECT_THROW(per_iteration(result, result.metrics[1]), Error);
}

TEST(PerIteration, KeepsNanOfAnyRank) {
  Metric metric;
  metric.kind = MetricKind::ratio;
  metric.samples.ranks = 2;
  metric.samples.iterations = 2;
  metric.samples.values = std::vector<double>{1, std::nan(""), std::nan(""), 2};
  CaseResult result;
  result.metrics = {metric};
  for (const double value : per_iteration(result, result.metrics[0]))
    EXPECT_TRUE(std::isnan(value));
  EXPECT_TRUE(std::isnan(summarise(result, result.metrics[0]).median));
}

TEST(Summarise, IsTheMedianOfTheMaximum) {
  const CaseResult result = two_ranks();
  const Summary summary = summarise(result, result.metrics[0]);
  EXPECT_EQ(summary.n, 3U);
  EXPECT_DOUBLE_EQ(summary.median, 30e-9);
  EXPECT_DOUBLE_EQ(summary.mean, 30e-9);
  EXPECT_DOUBLE_EQ(summary.min, 20e-9);
  EXPECT_DOUBLE_EQ(summary.max, 40e-9);
  EXPECT_TRUE(std::isnan(summary.p95));
  EXPECT_TRUE(std::isnan(summary.p99));
}

TEST(Summarise, RateTellsTheSameAsItsTime) {
  CaseResult result = two_ranks();
  // An even number of values, where the median of rates would differ from the rate of the median.
  result.metrics[0].samples.iterations = 2;
  result.metrics[0].samples.ranks = 1;
  result.metrics[0].samples.values = std::vector<std::uint64_t>{10, 30};
  result.metrics[0].samples.warmup.clear();
  const Summary time = summarise(result, result.metrics[0]),
                rate = summarise(result, result.metrics[1]);
  EXPECT_DOUBLE_EQ(rate.median, 600 / time.median);
  EXPECT_DOUBLE_EQ(rate.low, 600 / time.high);
  EXPECT_DOUBLE_EQ(rate.high, 600 / time.low);
  EXPECT_DOUBLE_EQ(rate.mean, 600 / time.mean);
  EXPECT_EQ(rate.n, 2U);
  EXPECT_EQ(median_of(result, result.metrics[0]), time.median);
  EXPECT_EQ(median_of(result, result.metrics[1]), rate.median);
}

TEST(Summarise, GivesPercentilesOnlyWithEnoughIterations) {
  CaseResult result = two_ranks();
  Samples& samples = result.metrics[0].samples;
  samples.ranks = 1;
  samples.warmup.clear();
  samples.iterations = 500;
  std::vector<std::uint64_t> values(500);
  for (std::size_t i = 0; i < 500; ++i) values[i] = (i * 7919) % 500;  // 0..499 in mixed order
  samples.values = values;
  const Summary summary = summarise(result, result.metrics[0]);
  EXPECT_DOUBLE_EQ(summary.p95, 474.05e-9);
  EXPECT_DOUBLE_EQ(summary.p99, 494.01e-9);
  samples.iterations = 499;
  EXPECT_TRUE(std::isnan(summarise(result, result.metrics[0]).p99));
  samples.iterations = 99;
  EXPECT_TRUE(std::isnan(summarise(result, result.metrics[0]).p95));
}

TEST(Summarise, OneValueIsItsOwnInterval) {
  CaseResult result = two_ranks();
  result.metrics[0].samples.ranks = 1;
  result.metrics[0].samples.iterations = 1;
  result.metrics[0].samples.values = std::vector<std::uint64_t>{7};
  result.metrics[0].samples.warmup.clear();
  const Summary summary = summarise(result, result.metrics[0]);
  EXPECT_DOUBLE_EQ(summary.median, 7e-9);
  EXPECT_EQ(summary.low, summary.median);
  EXPECT_EQ(summary.high, summary.median);
}

TEST(Summarise, HasNothingToSayOfNothing) {
  CaseResult result = two_ranks();
  result.metrics[0].samples = Samples{};
  EXPECT_EQ(summarise(result, result.metrics[0]).n, 0U);
  EXPECT_TRUE(std::isnan(summarise(result, result.metrics[0]).median));
  EXPECT_TRUE(std::isnan(summarise(result, result.metrics[1]).median));
}

TEST(Summarise, GivesNoRateWithoutTime) {
  CaseResult result = two_ranks();
  result.metrics[0].samples.values = std::vector<std::uint64_t>(8, 0);
  EXPECT_TRUE(std::isnan(summarise(result, result.metrics[1]).median));
}

// Rank means without warm-up: (10+20+30)/3 = 20 and (40+10+20)/3 = 23.33 ns.
TEST(OsuStatistic, IsTheMeanOfRankMeans) {
  CaseResult result = two_ranks();
  const OsuStatistic osu = osu_statistic(result.metrics[0]);
  EXPECT_DOUBLE_EQ(osu.average, (20e-9 + 70e-9 / 3) / 2);
  EXPECT_DOUBLE_EQ(osu.minimum, 20e-9);
  EXPECT_DOUBLE_EQ(osu.maximum, 70e-9 / 3);
  EXPECT_DOUBLE_EQ(osu_statistic(result.metrics[0], 1).average, 20e-9);  // where half of them send
  EXPECT_EQ(rank_means(result.metrics[0]).size(), 2U);
  result.metrics[0].rank_reduce = RankReduce::root;  // ping-pong: rank 0 times
  EXPECT_DOUBLE_EQ(osu_statistic(result.metrics[0]).average, 20e-9);
  EXPECT_TRUE(std::isnan(osu_statistic(Metric{}).average));
}

}  // namespace
}  // namespace scalemark
