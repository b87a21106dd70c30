// SPDX-License-Identifier: Apache-2.0
// Which rank is reported late, on synthetic samples.
#include "common/analysis/late_rank.hpp"

#include <random>

#include <gtest/gtest.h>

namespace scalemark::analysis {
namespace {

/// Iterations of 1 ms; rank `late` enters `seconds` after the others, all within `noise` of that.
CaseResult made(std::size_t ranks, std::size_t late, double seconds, double noise,
                std::size_t iterations = 100) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal(0, noise);
  CaseResult result;
  result.primary_metric = "latency";
  Metric latency{.name = "latency", .unit = "s", .formula = {}, .source = {}, .samples = {}};
  latency.samples = {.ranks = ranks,
                     .iterations = iterations,
                     .values = std::vector<std::uint64_t>(ranks * iterations, 1'000'000),
                     .scale = 1e-9,
                     .warmup = {},
                     .flags = {},
                     .t0 = {}};
  Metric lateness = latency;
  lateness.name = "lateness";
  std::vector<std::uint64_t> values(ranks * iterations);
  for (std::size_t i = 0; i < iterations; ++i) {
    std::vector<double> entries;
    for (std::size_t rank = 0; rank < ranks; ++rank)
      entries.push_back(1 + normal(random) + (rank == late ? seconds : 0));
    const double first = *std::min_element(entries.begin(), entries.end());
    for (std::size_t rank = 0; rank < ranks; ++rank)
      values[rank * iterations + i] = static_cast<std::uint64_t>((entries[rank] - first) * 1e9);
  }
  lateness.samples.values = values;
  result.metrics = {latency, lateness};
  result.facts["clock_residual"] = 1e-8;
  result.facts["barrier_time"] = 1e-6;
  return result;
}

TEST(LateRank, IsNamedWithHowLateItIs) {
  for (const std::size_t ranks : {2U, 3U, 8U}) {
    const auto late = late_rank(made(ranks, 1, 50e-6, 5e-6));
    ASSERT_TRUE(late) << ranks;
    EXPECT_EQ(late->rank, 1U);
    EXPECT_NEAR(late->seconds, 50e-6, 5e-6);
    EXPECT_NEAR(late->fraction, 0.05, 0.005);
    EXPECT_NE(late_text(*late).find("rank 1 is late by "), std::string::npos);
  }
}

TEST(LateRank, NoneIsNamedWhereAllAreAlike) {
  for (const std::size_t ranks : {2U, 3U, 8U}) EXPECT_FALSE(late_rank(made(ranks, 0, 0, 100e-6)));
}

TEST(LateRank, MustBeTwoPercentOfAnIteration) {
  EXPECT_FALSE(late_rank(made(2, 1, 15e-6, 1e-6)));
  EXPECT_TRUE(late_rank(made(2, 1, 25e-6, 1e-6)));
  // Work before the operation is part of the iteration.
  CaseResult longer = made(2, 1, 25e-6, 1e-6);
  Metric before = longer.metrics[0];
  before.name = "local_time";
  longer.metrics.push_back(before);
  EXPECT_FALSE(late_rank(longer));
}

TEST(LateRank, MustBeBeyondTheClockAndTheBarrier) {
  CaseResult coarse = made(2, 1, 50e-6, 1e-6);
  coarse.facts["clock_residual"] = 20e-6;
  EXPECT_FALSE(late_rank(coarse));
  CaseResult slow_barrier = made(2, 1, 50e-6, 1e-6);
  slow_barrier.facts["barrier_time"] = 60e-6;
  EXPECT_FALSE(late_rank(slow_barrier));
}

TEST(LateRank, MustBeSure) {
  // 50 us in the median, but with too much noise; then too few iterations.
  EXPECT_FALSE(late_rank(made(2, 1, 50e-6, 400e-6)));
  EXPECT_FALSE(late_rank(made(2, 1, 50e-6, 1e-6, 19)));
}

TEST(LateRank, VoidIterationsDoNotCount) {
  CaseResult result = made(2, 1, 50e-6, 1e-6);
  result.metrics[1].samples.flags.assign(100, kInvalid);
  EXPECT_FALSE(late_rank(result));
}

TEST(LateRank, NothingIsSaidWithoutLateness) {
  CaseResult result = made(2, 1, 50e-6, 1e-6);
  result.metrics.pop_back();
  EXPECT_FALSE(late_rank(result));
}

}  // namespace
}  // namespace scalemark::analysis
