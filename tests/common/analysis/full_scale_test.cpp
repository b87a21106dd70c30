// SPDX-License-Identifier: Apache-2.0
// An allreduce of all hosts beside those of parts of them.
#include "common/analysis/full_scale.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace scalemark::analysis {
namespace {

constexpr int kAllHosts = 16, kRanksEach = 2;

/// A run on hosts `first` to before `last`.
Run run_of(int first, int last) {
  Run run;
  for (int rank = 0; rank < (last - first) * kRanksEach; ++rank) {
    RankInfo one;
    one.rank = rank;
    one.node = "node" + std::to_string(first + rank / kRanksEach);
    run.ranks.push_back(one);
  }
  return run;
}

CaseResult allreduce_of(int ranks, double seconds) {
  CaseResult result;
  result.name = "micro/allreduce";
  result.params["bytes"] = std::int64_t{8 << 20};
  result.params["ranks"] = std::int64_t{ranks};
  result.key = make_key(result.name, result.params);
  result.primary_metric = "latency";
  Metric latency;
  latency.name = "latency";
  latency.unit = "s";
  latency.samples.ranks = 1;
  latency.samples.iterations = 3;
  latency.samples.values = std::vector<double>(3, seconds);
  result.metrics = {latency};
  return result;
}

/// A ring over `ranks`: 10 us a step, 1 GB/s.
double ring(int ranks) { return 2 * (ranks - 1) * (10e-6 + (8 << 20) / 1e9 / ranks); }

/// All parts of so many hosts; `slow` has one that takes 1.5 times as long.
void add_parts(ScaleRows& rows, int hosts, int slow = -1) {
  for (int first = 0; first < kAllHosts; first += hosts) {
    const int ranks = hosts * kRanksEach;
    const bool has_slow = slow >= first && slow < first + hosts;
    const double wobble = 1 + 0.002 * first;
    EXPECT_TRUE(rows.add(run_of(first, first + hosts),
                         allreduce_of(ranks, ring(ranks) * wobble * (has_slow ? 1.5 : 1))));
  }
}

void add_all(ScaleRows& rows, double factor) {
  constexpr int kRanks = kAllHosts * kRanksEach;
  EXPECT_TRUE(rows.add(run_of(0, kAllHosts), allreduce_of(kRanks, factor * ring(kRanks))));
}

TEST(FullScale, AClusterWithoutFaultIsAsItsPartsPredict) {
  ScaleRows rows;
  for (const int hosts : {2, 4, 8}) add_parts(rows, hosts);
  add_all(rows, 1);
  const std::vector<FullScale> scales = rows.scales();
  ASSERT_EQ(scales.size(), 1U);
  EXPECT_EQ(scales[0].key, "micro/allreduce bytes=8388608");
  EXPECT_EQ(scales[0].hosts, 16U);
  EXPECT_EQ(scales[0].ranks, 32);
  EXPECT_NEAR(scales[0].factor(), 1, 0.03);
  EXPECT_TRUE(scales[0].is_tested);
  EXPECT_FALSE(scales[0].is_slow());
  EXPECT_TRUE(scales[0].slow_parts.empty());
}

TEST(FullScale, WhatIsSlowAtFullScaleOnlyIsSaid) {
  ScaleRows rows;
  for (const int hosts : {2, 4, 8}) add_parts(rows, hosts);
  add_all(rows, 2);
  const FullScale scale = rows.scales().front();
  EXPECT_TRUE(scale.is_slow());
  EXPECT_NEAR(scale.factor(), 2, 0.06);
  EXPECT_TRUE(scale.slow_parts.empty());
}

TEST(FullScale, OfSeveralRunsOfAllHostsTheFastestCounts) {
  ScaleRows rows;
  for (const int hosts : {2, 4, 8}) add_parts(rows, hosts);
  add_all(rows, 2);
  add_all(rows, 1.01);
  EXPECT_FALSE(rows.scales().front().is_slow());
}

TEST(FullScale, ASlowPartIsNamed) {
  ScaleRows rows;
  for (const int hosts : {2, 4}) add_parts(rows, hosts, 5);
  add_all(rows, 1.5);
  const FullScale scale = rows.scales().front();
  EXPECT_FALSE(scale.is_tested) << "two sizes";
  EXPECT_GT(scale.predicted, 0);
  ASSERT_EQ(scale.slow_parts.size(), 2U);
  EXPECT_EQ(scale.slow_parts[0].hosts, (std::vector<std::string>{"node4", "node5"}));
  EXPECT_NEAR(scale.slow_parts[0].judged.factor, 1.5, 0.03);
  EXPECT_EQ(scale.slow_parts[1].hosts,
            (std::vector<std::string>{"node4", "node5", "node6", "node7"}));
}

TEST(FullScale, OneSizeOfPartsPredictsNothing) {
  ScaleRows rows;
  add_parts(rows, 8);
  EXPECT_TRUE(rows.scales().empty()) << "two halves, and no operation of all";
  add_all(rows, 3);
  const FullScale scale = rows.scales().front();
  EXPECT_EQ(scale.predicted, 0);
  EXPECT_FALSE(scale.is_slow());
}

TEST(FullScale, OtherCasesAreNotTaken) {
  ScaleRows rows;
  EXPECT_FALSE(rows.add(run_of(0, 1), allreduce_of(2, 1))) << "one host";
  CaseResult other = allreduce_of(4, 1);
  other.name = "micro/bandwidth";
  EXPECT_FALSE(rows.add(run_of(0, 2), other));
  other = allreduce_of(4, 1);
  other.status = Status::failed;
  EXPECT_FALSE(rows.add(run_of(0, 2), other));
  EXPECT_FALSE(rows.add(run_of(0, 2), allreduce_of(1, 1)));
}

}  // namespace
}  // namespace scalemark::analysis
