// SPDX-License-Identifier: Apache-2.0
// Which nodes are called bad in simulated fleets with 3 % of noise.
#include "common/fleet/node_verdict.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "tests/common/fleet/simulated_fleet.hpp"

namespace scalemark::fleet {
namespace {

using test::SimulatedFleet;

constexpr std::size_t kMeetings = 5;

std::vector<JudgedNode> judged(SimulatedFleet& fleet) {
  const std::vector<PairTime> screened =
      fleet.measure(screening(fleet.size(), screening_rounds(fleet.size())));
  const Screening result = screen(fleet.size(), screened);
  return judge(fleet.size(), result, screened,
               fleet.measure(confirmation(result.suspects, result.proven, kMeetings)));
}

std::size_t count(const std::vector<JudgedNode>& nodes, NodeVerdict verdict) {
  return static_cast<std::size_t>(std::ranges::count(nodes, verdict, &JudgedNode::verdict));
}

struct Found {
  std::size_t planted = 0, found = 0, wrong = 0;
};

/// Fleets in which one node in two hundred is slow, but at least one.
Found found_in(std::size_t nodes, double factor, unsigned fleets) {
  Found sum;
  for (unsigned seed = 0; seed < fleets; ++seed) {
    SimulatedFleet fleet(nodes, seed);
    std::mt19937 random(seed + 1000);
    std::vector<std::size_t> order(nodes);
    for (std::size_t i = 0; i < nodes; ++i) order[i] = i;
    std::ranges::shuffle(order, random);
    const std::size_t slow = std::max<std::size_t>(1, nodes / 200);
    for (std::size_t i = 0; i < slow; ++i) fleet.make_slow(order[i], factor);
    const std::vector<JudgedNode> verdicts = judged(fleet);
    for (std::size_t node = 0; node < nodes; ++node) {
      const bool is_bad = verdicts[node].verdict == NodeVerdict::bad;
      sum.planted += fleet.slowness(node) > 1;
      sum.found += is_bad && fleet.slowness(node) > 1;
      sum.wrong += is_bad && fleet.slowness(node) == 1;
    }
  }
  return sum;
}

TEST(NodeVerdict, SlowNodesAreFoundAndNoOthers) {
  for (const auto& [nodes, fleets] :
       {std::pair{16U, 400U}, std::pair{64U, 400U}, std::pair{1024U, 40U}, std::pair{4096U, 20U}}) {
    const Found found = found_in(nodes, 1.2, fleets);
    EXPECT_GE(found.found, 0.95 * static_cast<double>(found.planted)) << nodes;
    EXPECT_LE(found.wrong, 0.01 * fleets) << nodes;
  }
}

TEST(NodeVerdict, FleetsWithoutASlowNodeHaveNoBadOne) {
  for (const auto& [nodes, fleets] : {std::pair{16U, 1000U}, std::pair{64U, 500U},
                                      std::pair{1024U, 60U}, std::pair{4096U, 20U}}) {
    unsigned wrong = 0;
    for (unsigned seed = 0; seed < fleets; ++seed) {
      SimulatedFleet fleet(nodes, seed);
      wrong += count(judged(fleet), NodeVerdict::bad) > 0;
    }
    EXPECT_LE(wrong, 0.01 * fleets) << nodes;
  }
}

TEST(NodeVerdict, TheFactorIsThatOfTheNode) {
  SimulatedFleet fleet(64, 7);
  fleet.make_slow(5, 1.5);
  const std::vector<JudgedNode> verdicts = judged(fleet);
  EXPECT_EQ(verdicts[5].verdict, NodeVerdict::bad);
  EXPECT_NEAR(verdicts[5].factor, 1.5, 0.1);
  EXPECT_EQ(verdicts[5].pairs, kMeetings);
  EXPECT_NEAR(verdicts[6].factor, 1, 0.1);
}

TEST(NodeVerdict, WhatWasNotMeasuredIsUntested) {
  SimulatedFleet fleet(8, 1);
  fleet.make_slow(2, 2);
  std::vector<PairTime> screened = fleet.measure(screening(8, 3));
  for (PairTime& time : screened)
    if (time.nodes.a == 4 || time.nodes.b == 4)
      time.seconds = std::numeric_limits<double>::infinity();
  const Screening result = screen(8, screened);
  EXPECT_EQ(result.untested, std::vector<std::size_t>{4});
  EXPECT_EQ(result.suspects, std::vector<std::size_t>{2});
  std::vector<JudgedNode> verdicts = judge(8, result, screened, {});
  EXPECT_EQ(verdicts[4].verdict, NodeVerdict::untested);
  EXPECT_EQ(verdicts[2].verdict, NodeVerdict::untested) << "a suspect that nobody met again";
  EXPECT_EQ(count(verdicts, NodeVerdict::ok), 6U);
  EXPECT_EQ(to_string(NodeVerdict::untested), "UNTESTED");
  EXPECT_EQ(to_string(NodeVerdict::bad), "BAD");

  EXPECT_TRUE(judge(0, screen(0, {}), {}, {}).empty());
  const std::vector<PairTime> foreign{{{7, 9}, 1.0}};
  EXPECT_EQ(screen(2, foreign).untested.size(), 2U) << "nodes that are not of the fleet";
}

}  // namespace
}  // namespace scalemark::fleet
