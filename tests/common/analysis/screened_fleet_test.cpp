// SPDX-License-Identifier: Apache-2.0
// What is read from table `pairs` of a screening.
#include "common/analysis/screened_fleet.hpp"

#include <gtest/gtest.h>

#include "common/analysis/slow_host.hpp"
#include "common/fleet/second_look.hpp"
#include "tests/common/fleet/simulated_fleet.hpp"

namespace scalemark::analysis {
namespace {

constexpr std::size_t kRanks = 16;

/// The case that a screening of `simulated` stores: rank i on host "node<i>".
CaseResult screened(fleet::test::SimulatedFleet& simulated) {
  std::vector<fleet::PairRound> rounds = fleet::screening(kRanks, 3);
  const std::vector<fleet::PairTime> first = simulated.measure(rounds);
  std::vector<fleet::PairTime> all = first;
  std::ranges::copy(fleet::to_confirm(kRanks, first), std::back_inserter(rounds));
  std::ranges::copy(simulated.measure(std::span(rounds).subspan(3)), std::back_inserter(all));

  std::vector<std::uint64_t> rank, peer, round;
  std::vector<std::string> rank_place, peer_place;
  std::vector<double> seconds;
  for (std::size_t number = 0; number < rounds.size(); ++number)
    round.insert(round.end(), rounds[number].size(), number);
  for (const fleet::PairTime& time : all) {
    rank.push_back(time.nodes.a);
    peer.push_back(time.nodes.b);
    rank_place.push_back("node" + std::to_string(time.nodes.a) + " numa 0");
    peer_place.push_back("node" + std::to_string(time.nodes.b));
    seconds.push_back(time.seconds);
  }
  CaseResult result;
  result.facts["screening_rounds"] = std::int64_t{3};
  result.tables["pairs"] = {.columns = {{"rank", "", rank},
                                        {"peer", "", peer},
                                        {"rank_place", "", rank_place},
                                        {"peer_place", "", peer_place},
                                        {"latency", "s", seconds},
                                        {"round", "", round}}};
  return result;
}

TEST(ScreenedFleet, ASlowRankIsNamedWithItsHost) {
  fleet::test::SimulatedFleet simulated(kRanks, 1);
  simulated.make_slow(5, 1.5);
  const CaseResult result = screened(simulated);
  const auto found = screened_fleet(result);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->ranks.size(), kRanks);
  EXPECT_EQ(found->screening_rounds, 3U);
  EXPECT_EQ(found->rounds, 8U);
  EXPECT_EQ(found->ranks[5].host, "node5");
  EXPECT_EQ(found->ranks[5].judged.verdict, fleet::NodeVerdict::bad);
  EXPECT_EQ(found->ranks[6].judged.verdict, fleet::NodeVerdict::ok);
  EXPECT_TRUE(found->links.empty());
  EXPECT_EQ(fleet_text(*found).find("of 16 ranks: rank 5 on node5 takes 1."), 0U)
      << fleet_text(*found);
  EXPECT_FALSE(slow_place(result)) << "that is for tables of all pairs";
}

TEST(ScreenedFleet, ASlowLinkIsNamedByItsRanks) {
  fleet::test::SimulatedFleet simulated(kRanks, 2);
  const fleet::NodePair slow = fleet::screening(kRanks, 3)[1][2];
  simulated.link = [&](const fleet::NodePair& pair) { return pair == slow ? 2.0 : 1.0; };
  const auto found = screened_fleet(screened(simulated));
  ASSERT_TRUE(found);
  ASSERT_EQ(found->links.size(), 1U);
  EXPECT_EQ(found->links[0].nodes, slow);
  EXPECT_NE(fleet_text(*found).find("times as long with each other"), std::string::npos);
}

TEST(ScreenedFleet, AFleetWithoutASlowRankSaysSo) {
  fleet::test::SimulatedFleet simulated(kRanks, 3);
  const auto found = screened_fleet(screened(simulated));
  ASSERT_TRUE(found);
  EXPECT_EQ(fleet_text(*found), "16 ranks: none is slow");
}

TEST(ScreenedFleet, DamagedTablesSayNothing) {
  fleet::test::SimulatedFleet simulated(kRanks, 4);
  const CaseResult good = screened(simulated);
  CaseResult result = good;
  result.status = Status::failed;
  EXPECT_FALSE(screened_fleet(result));
  result = good;
  result.facts.erase("screening_rounds");
  EXPECT_FALSE(screened_fleet(result));
  for (std::size_t column = 0; column < 6; ++column) {
    result = good;
    result.tables["pairs"].columns.erase(result.tables["pairs"].columns.begin() +
                                         static_cast<std::ptrdiff_t>(column));
    EXPECT_FALSE(screened_fleet(result)) << column;
  }
  result = good;
  std::get<std::vector<std::uint64_t>>(result.tables["pairs"].columns[1].values)[0] = 1ULL << 60;
  EXPECT_FALSE(screened_fleet(result)) << "a rank that the rows cannot have";
  result = good;
  std::get<std::vector<std::uint64_t>>(result.tables["pairs"].columns[0].values).pop_back();
  EXPECT_FALSE(screened_fleet(result));
}

}  // namespace
}  // namespace scalemark::analysis
