// SPDX-License-Identifier: Apache-2.0
// What a page keeps of a case.
#include "common/html/extract.hpp"

#include <cmath>
#include <cstdint>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/html/drawing/heat_map.hpp"
#include "common/html/extract_samples.hpp"
#include "tests/common/compare/synthetic.hpp"

namespace scalemark::html {
namespace {

using testing::ElementsAre;

/// Ranks by iterations of `time(rank, iteration)` nanoseconds.
template <class Time>
CaseResult ranked(std::size_t ranks, std::size_t iterations, Time time) {
  CaseResult result = test::measured("imaging/train", 8, {});
  Metric metric = test::duration("compute_time", {});
  std::vector<std::uint64_t> values;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    for (std::size_t i = 0; i < iterations; ++i)
      values.push_back(static_cast<std::uint64_t>(time(rank, i)));
  }
  metric.samples.ranks = ranks;
  metric.samples.iterations = iterations;
  metric.samples.values = values;
  result.primary_metric = "compute_time";
  result.metrics = {metric};
  return result;
}

TEST(Grid, NamesTheSlowRank) {
  const CaseResult result =
      ranked(4, 100, [](std::size_t rank, std::size_t) { return rank == 2 ? 1100 : 1000; });
  const std::optional<RankGrid> grid = grid_of(result);
  ASSERT_TRUE(grid);
  EXPECT_FALSE(grid->collective);
  EXPECT_NEAR(grid->effects[2], 1.1, 1e-6);
  EXPECT_NEAR(grid->effects[0], 1.0, 1e-6);
  EXPECT_FLOAT_EQ(grid->slowest[2], 1);
  EXPECT_NEAR(grid->imbalance, std::log(1.1), 1e-6);
}

TEST(Grid, KeepsTheWorstValueHoweverManyAreJoined) {
  // 1000 ranks and 10,000 iterations in 64 x 120 cells: the one outlier is still there.
  const CaseResult result = ranked(1000, 10000, [](std::size_t rank, std::size_t i) {
    return rank == 777 && i == 5432 ? 9000U : 1000U;
  });
  const std::optional<RankGrid> grid = grid_of(result);
  ASSERT_TRUE(grid);
  EXPECT_EQ(grid->cells.size(), 64U * 120U);
  const auto most = std::ranges::max_element(grid->cells);
  EXPECT_FLOAT_EQ(*most, 9);
  const auto row = static_cast<std::size_t>(most - grid->cells.begin()) / grid->columns;
  EXPECT_LE(grid->first_rank(row), 777U);
  EXPECT_GT(grid->first_rank(row + 1), 777U);
  EXPECT_EQ(std::ranges::count(grid->cells, 1.0F), 64 * 120 - 1);
}

TEST(Grid, LeavesOutTheWarmUp) {
  CaseResult result = ranked(
      2, 40, [](std::size_t rank, std::size_t i) { return i < 30 && rank == 0 ? 5000U : 1000U; });
  result.metrics[0].samples.warmup.assign(40, 0);
  std::fill_n(result.metrics[0].samples.warmup.begin(), 30, 1);
  const std::optional<RankGrid> grid = grid_of(result);
  ASSERT_TRUE(grid);
  EXPECT_EQ(grid->iterations, 10U);
  EXPECT_FLOAT_EQ(grid->effects[0], 1);
}

TEST(Grid, LeavesOutTheWaitForOthers) {
  CaseResult result =
      ranked(2, 10, [](std::size_t rank, std::size_t) { return rank == 0 ? 3000 : 3000; });
  Metric exposed = result.metrics[0];
  exposed.name = "exposed_communication_time";
  // Rank 0 waits for rank 1, which computes longer.
  std::vector<std::uint64_t> waits(20, 0);
  std::fill_n(waits.begin(), 10, 1000);
  exposed.samples.values = waits;
  result.metrics.push_back(exposed);
  const std::optional<RankGrid> grid = grid_of(result);
  ASSERT_TRUE(grid);
  EXPECT_NEAR(grid->effects[1] / grid->effects[0], 1.5, 1e-6);
}

TEST(Grid, WantsRanksAndIterations) {
  const auto flat = [](std::size_t, std::size_t) { return 5U; };
  EXPECT_FALSE(grid_of(ranked(1, 100, flat)));
  EXPECT_FALSE(grid_of(ranked(4, 7, flat)));
  EXPECT_FALSE(grid_of(ranked(4, 100, [](std::size_t, std::size_t) { return 0U; })));
}

TEST(HeatMap, HasTheMiddleStepWithinTwoPercent) {
  EXPECT_EQ(heat_step(1.0), 2U);
  EXPECT_EQ(heat_step(1.019), 2U);
  EXPECT_EQ(heat_step(1.021), 3U);
  EXPECT_EQ(heat_step(0.97), 1U);
  EXPECT_EQ(heat_step(0.5), 0U);
  EXPECT_EQ(heat_step(7), 8U);
}

TEST(Buckets, KeepExtremesAndMeans) {
  std::vector<double> values(1000, 1.0);
  values[503] = 11;
  values[507] = -9;
  const std::vector<Point> points = bucketed(values, 100);
  ASSERT_EQ(points.size(), 100U);
  EXPECT_DOUBLE_EQ(points[50].y, 1.0);
  EXPECT_DOUBLE_EQ(points[50].high, 11);
  EXPECT_DOUBLE_EQ(points[50].low, -9);
  EXPECT_DOUBLE_EQ(points[0].x, 5.5);  // steps 1 to 10
  EXPECT_DOUBLE_EQ(points[99].x, 995.5);
  EXPECT_EQ(bucketed(std::vector<double>{3.0}, 100).size(), 1U);
}

TEST(Quantiles, GoFromTheLeastToTheLargest) {
  std::vector<std::uint64_t> times;
  for (std::uint64_t i = 1; i <= 129; ++i) times.push_back(i * 1000);
  const std::vector<float> quantiles = quantiles_of(test::measured("micro/a", 8, times));
  ASSERT_EQ(quantiles.size(), 65U);
  EXPECT_FLOAT_EQ(quantiles[0], 1e-6F);
  EXPECT_FLOAT_EQ(quantiles[32], 65e-6F);
  EXPECT_FLOAT_EQ(quantiles[64], 129e-6F);
  EXPECT_TRUE(quantiles_of(test::measured("micro/a", 8, {1, 2, 3})).empty());
}

TEST(Training, KeepsLossAndTheParts) {
  CaseResult result = test::measured("llm/finetune", 8, {});
  result.metrics = {test::duration("step_time", {100, 300, 200}),
                    test::duration("loader_wait", {10, 30, 20})};
  Metric loss = test::duration("step_loss", {});
  loss.kind = MetricKind::ratio;
  loss.samples.values = std::vector<double>{9, 6, 3};
  loss.samples.iterations = 3;
  loss.samples.scale = 1;
  result.metrics.push_back(loss);
  const std::optional<Training> training = training_of(result);
  ASSERT_TRUE(training);
  EXPECT_EQ(training->steps, 3U);
  EXPECT_DOUBLE_EQ(training->loss.front().y, 9);
  EXPECT_DOUBLE_EQ(training->loss.back().y, 3);
  EXPECT_DOUBLE_EQ(training->step, 200e-9);
  EXPECT_DOUBLE_EQ(training->wait, 20e-9);
  EXPECT_FALSE(training->exposed);
}

TEST(Extract, CallsWrongDataAFailure) {
  CaseResult result = test::measured("micro/a", 8, {1000});
  result.verification.wrong = 3;
  RunExtract run;
  extract_case(result, run);
  EXPECT_EQ(run.cases[0].status, Status::failed);
  EXPECT_EQ(run.cases[0].reason, "wrong data: 3 of 100 elements");
}

TEST(Extract, TakesThePeakFromTheFacts) {
  CaseResult result = test::measured("micro/a", 8, {1000});
  result.facts["peak_bandwidth"] = 2.5e10;
  RunExtract run;
  extract_case(result, run);
  ASSERT_NE(run.cases[0].find("bandwidth"), nullptr);
  EXPECT_EQ(run.cases[0].find("bandwidth")->peak, 2.5e10);
  EXPECT_FALSE(run.cases[0].find("latency")->peak);
}

}  // namespace
}  // namespace scalemark::html
