// SPDX-License-Identifier: Apache-2.0
// Which nodes are called bad by what they measured by themselves, in simulated fleets.
#include "common/fleet/lone_nodes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace scalemark::fleet {
namespace {

constexpr std::size_t kMeasurements = 8;

struct Count {
  std::size_t planted = 0, found = 0, wrong_tables = 0;
};

/// Tables of eight measurements over fleets whose first node is slow in the first measurement.
Count count_in(std::size_t nodes, double noise, double factor, unsigned tables) {
  Count count;
  for (unsigned seed = 0; seed < tables; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(0, noise);
    bool is_wrong = false;
    for (std::size_t measurement = 0; measurement < kMeasurements; ++measurement) {
      std::vector<double> seconds(nodes);
      for (double& one : seconds) one = 0.01 * std::exp(normal(random));
      const bool has_slow = measurement == 0 && factor > 1;
      if (has_slow) seconds[0] *= factor;
      const std::vector<LoneNode> judged = judge_alone(seconds, kMeasurements);
      for (std::size_t node = 0; node < nodes; ++node) {
        const bool is_bad = judged[node].verdict == NodeVerdict::bad;
        if (has_slow && node == 0) {
          ++count.planted;
          count.found += is_bad;
        } else {
          is_wrong = is_wrong || is_bad;
        }
      }
    }
    count.wrong_tables += is_wrong;
  }
  return count;
}

TEST(LoneNodes, SlowNodesAreFound) {
  for (const std::size_t nodes : {16U, 64U, 1024U}) {
    const Count count = count_in(nodes, 0.01, 1.2, nodes > 100 ? 50 : 400);
    EXPECT_GE(static_cast<double>(count.found), 0.95 * static_cast<double>(count.planted)) << nodes;
  }
  const Count four = count_in(4, 0.01, 1.5, 400);
  EXPECT_GE(static_cast<double>(four.found), 0.95 * static_cast<double>(four.planted));
}

TEST(LoneNodes, FleetsWithoutASlowNodeHaveNoBadOne) {
  for (const double noise : {0.001, 0.01, 0.03, 0.05, 0.1}) {
    for (const auto& [nodes, tables] :
         {std::pair{3U, 1000U}, std::pair{4U, 1000U}, std::pair{8U, 1000U}, std::pair{16U, 1000U},
          std::pair{64U, 300U}, std::pair{1024U, 30U}}) {
      if (noise > 0.05 && nodes < 64) continue;  // nodes that differ more than usual
      const Count count = count_in(nodes, noise, 1, tables);
      EXPECT_LE(static_cast<double>(count.wrong_tables), 0.01 * tables)
          << nodes << " nodes, noise " << noise;
    }
  }
}

TEST(LoneNodes, SlowNodesDoNotHideEachOther) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal(0, 0.01);
  std::vector<double> seconds(16);
  for (std::size_t node = 0; node < seconds.size(); ++node)
    seconds[node] = std::exp(normal(random)) * (node < 4 ? 1.5 : 1);
  const std::vector<LoneNode> judged = judge_alone(seconds, kMeasurements);
  EXPECT_EQ(std::ranges::count(judged, NodeVerdict::bad, &LoneNode::verdict), 4);
  for (std::size_t node = 0; node < 4; ++node) EXPECT_EQ(judged[node].verdict, NodeVerdict::bad);
}

TEST(LoneNodes, TheFactorIsToTheMedian) {
  const std::vector<double> seconds{1, 2, 1.01, 0.99, 1, 1, 1, 1};
  const std::vector<LoneNode> judged = judge_alone(seconds, 1);
  EXPECT_EQ(judged[1].verdict, NodeVerdict::bad);
  EXPECT_DOUBLE_EQ(judged[1].factor, 2);
  EXPECT_EQ(judged[0].verdict, NodeVerdict::ok);
  EXPECT_EQ(judged[3].verdict, NodeVerdict::ok) << "a fast node";
}

TEST(LoneNodes, BetweenTheLimitsANodeIsSuspect) {
  std::vector<double> seconds(16, 1.0);
  double from = 0, to = 0;
  for (double factor = 1; factor < 1.4; factor += 0.001) {
    seconds[7] = factor;
    const NodeVerdict verdict = judge_alone(seconds, 4)[7].verdict;
    if (verdict == NodeVerdict::suspect && from == 0) from = factor;
    if (verdict == NodeVerdict::bad && to == 0) to = factor;
  }
  EXPECT_GT(from, 1.05);
  EXPECT_GT(to, from);
}

TEST(LoneNodes, WhatWasNotMeasuredIsUntested) {
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  const std::vector<LoneNode> judged = judge_alone(std::vector{1.0, nothing, 1.0, 0.0, 1.0}, 1);
  EXPECT_EQ(judged[1].verdict, NodeVerdict::untested);
  EXPECT_EQ(judged[3].verdict, NodeVerdict::untested);
  EXPECT_EQ(judged[4].verdict, NodeVerdict::ok);
  for (const LoneNode& one : judge_alone(std::vector{1.0, 9.0}, 1))
    EXPECT_EQ(one.verdict, NodeVerdict::untested) << "which of two is slow cannot be said";
  EXPECT_TRUE(judge_alone({}, 1).empty());
}

/// Fleets of 64 nodes without a slow one, in eight measurements beside a baseline of other nodes.
TEST(LoneNodes, ABaselineAccusesNoneOfEqualNodes) {
  constexpr unsigned kTables = 100;
  for (const double noise : {0.01, 0.05}) {
    for (const std::size_t runs : {2U, 10U}) {
      unsigned wrong = 0;
      for (unsigned seed = 0; seed < kTables; ++seed) {
        std::mt19937 random(seed);
        std::normal_distribution<double> normal(0, noise);
        bool is_wrong = false;
        for (std::size_t measurement = 0; measurement < kMeasurements; ++measurement) {
          std::vector<double> logarithms(runs);
          for (double& one : logarithms) one = normal(random);
          double mean = 0, variance = 0;
          for (const double one : logarithms) mean += one / static_cast<double>(runs);
          for (const double one : logarithms)
            variance += (one - mean) * (one - mean) / static_cast<double>(runs - 1);
          std::vector<double> factors(64);
          for (double& one : factors) one = std::exp(normal(random) - mean);
          for (const LoneNode& one : judge_against(factors, variance, runs, 64 * kMeasurements))
            is_wrong = is_wrong || one.verdict == NodeVerdict::bad;
        }
        wrong += is_wrong;
      }
      EXPECT_LE(wrong, kTables / 100) << noise << ", " << runs << " runs";
    }
  }
}

TEST(LoneNodes, ABaselineOfTenRunsFindsASlowNode) {
  for (const double variance : {1e-6, 1e-4}) {
    const std::vector<LoneNode> judged = judge_against(std::vector{1.2, 1.04}, variance, 10, 8);
    EXPECT_EQ(judged[0].verdict, NodeVerdict::bad);
    EXPECT_EQ(judged[1].verdict, NodeVerdict::ok);
  }
}

}  // namespace
}  // namespace scalemark::fleet
