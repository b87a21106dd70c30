// SPDX-License-Identifier: Apache-2.0
// Slow links in simulated fleets with 3 % of noise.
#include "common/fleet/slow_pairs.hpp"

#include <gtest/gtest.h>

#include "tests/common/fleet/simulated_fleet.hpp"

namespace scalemark::fleet {
namespace {

using test::SimulatedFleet;

/// Screening of a fleet whose first pair is measured twice.
std::vector<PairTime> measured(SimulatedFleet& fleet, std::size_t rounds) {
  std::vector<PairRound> all = screening(fleet.size(), rounds);
  all.push_back(all.front());
  return fleet.measure(all);
}

TEST(SlowPairs, ASlowLinkIsNamedAndItsNodesAreNot) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    SimulatedFleet fleet(16, seed);
    const NodePair slow = tournament_round(16, 0)[3];
    fleet.link = [&](const NodePair& pair) { return pair == slow ? 1.8 : 1.0; };
    const std::vector<SlowPair> found = slow_pairs(16, measured(fleet, 5), 2);
    ASSERT_EQ(found.size(), 1U) << seed;
    EXPECT_EQ(found[0].nodes, slow);
    EXPECT_EQ(found[0].times, 2U);
    EXPECT_NEAR(found[0].factor, 1.8, 0.25);
  }
}

TEST(SlowPairs, FewRoundsAndASecondMeasurementAreEnough) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    SimulatedFleet fleet(8, seed);
    const NodePair slow{0, 7};
    fleet.link = [&](const NodePair& pair) { return pair == slow ? 1.5 : 1.0; };
    std::vector<PairRound> rounds = screening(8, 3);
    rounds.push_back({slow});
    const std::vector<SlowPair> found = slow_pairs(8, fleet.measure(rounds), 2);
    ASSERT_EQ(found.size(), 1U) << seed;
    EXPECT_EQ(found[0].nodes, slow);
  }
}

TEST(SlowPairs, ASlowNodeExplainsItsPairs) {
  unsigned named = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    SimulatedFleet fleet(16, seed);
    if (seed % 2 == 0) fleet.make_slow(4, 1.5);
    named += !slow_pairs(16, measured(fleet, 5), 2).empty();
  }
  EXPECT_LE(named, 1U);
}

TEST(SlowPairs, OneMeasurementIsNotEnough) {
  SimulatedFleet fleet(16, 3);
  const NodePair slow = tournament_round(16, 7)[2];
  fleet.link = [&](const NodePair& pair) { return pair == slow ? 2.0 : 1.0; };
  const std::vector<PairTime> times = fleet.measure(screening(16, 15));
  EXPECT_TRUE(slow_pairs(16, times, 2).empty());
  ASSERT_EQ(slow_pairs(16, times, 1).size(), 1U) << "to be measured again";
  EXPECT_TRUE(slow_pairs(16, {}, 1).empty());
}

TEST(SlowPairs, AnUplinkIsNamedByItsSwitches) {
  std::vector<std::string> leaves;
  for (std::size_t node = 0; node < 8; ++node) leaves.emplace_back(node < 4 ? "A" : "B");
  for (unsigned seed = 0; seed < 50; ++seed) {
    SimulatedFleet fleet(8, seed);
    const std::vector<PairRound> rounds = screening(8, 7, leaves);
    EXPECT_TRUE(slow_leaves(leaves, fleet.measure(rounds)).empty());
    fleet.link = [&](const NodePair& pair) { return leaves[pair.a] != leaves[pair.b] ? 1.6 : 1.0; };
    const std::vector<SlowLeaves> found = slow_leaves(leaves, fleet.measure(rounds));
    ASSERT_EQ(found.size(), 1U) << seed;
    EXPECT_EQ(found[0].a + found[0].b, "AB");
    EXPECT_NEAR(found[0].factor, 1.6, 0.1);
    EXPECT_EQ(found[0].pairs, 16U);
  }
}

TEST(SlowLeaves, ASharedLinkMayBeFasterWhereFewShareIt) {
  // Eight hosts under two switches, as measured over a link that two or four pairs shared.
  const std::vector<std::string> leaves{"A", "A", "A", "A", "B", "B", "B", "B"};
  const std::vector<PairTime> times{{{0, 7}, 1.024}, {{1, 6}, 1.136}, {{2, 5}, 1.215},
                                    {{3, 4}, 0.902}, {{2, 7}, 0.66},  {{1, 3}, 0.355},
                                    {{0, 4}, 0.674}, {{5, 6}, 0.355}, {{4, 7}, 0.355},
                                    {{3, 5}, 0.612}, {{2, 6}, 0.598}, {{0, 1}, 0.355}};
  const std::vector<SlowLeaves> found = slow_leaves(leaves, times);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].a + found[0].b, "AB");
  EXPECT_EQ(found[0].pairs, 8U);
}

TEST(SlowLeaves, APairOfNodesCountsOnce) {
  const std::vector<std::string> leaves{"A", "A", "A", "A", "B", "B"};
  std::vector<PairTime> times{{{0, 4}, 1.0}, {{1, 5}, 1.0}, {{2, 4}, 1.0}, {{2, 3}, 1.0}};
  for (int again = 0; again < 5; ++again) times.push_back({{0, 1}, 1.5});
  EXPECT_TRUE(slow_leaves(leaves, times).empty()) << "a slow link within a switch";
}

}  // namespace
}  // namespace scalemark::fleet
