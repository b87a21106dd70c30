// SPDX-License-Identifier: Apache-2.0
// Every rank meets every other once, and nobody twice at a time.
#include "suites/micro/point_to_point/rank_pairs.hpp"

#include <set>

#include <gtest/gtest.h>

namespace scalemark::micro {
namespace {

/// Each rank on a host of its own.
RankPlaces on_hosts(int ranks) {
  RankPlaces places;
  for (int rank = 0; rank < ranks; ++rank) places.hosts.push_back("node" + std::to_string(rank));
  return places;
}

TEST(RankPairs, EveryPairOnceInDisjointRounds) {
  for (int ranks = 2; ranks <= 9; ++ranks) {
    const auto rounds = rounds_of_pairs(ranks);
    EXPECT_EQ(static_cast<int>(rounds.size()), ranks % 2 == 0 ? ranks - 1 : ranks);
    std::set<std::pair<int, int>> all;
    for (const auto& pairs : rounds) {
      std::set<int> busy;
      for (const auto& [a, b] : pairs) {
        EXPECT_LT(a, b);
        EXPECT_GE(a, 0);
        EXPECT_LT(b, ranks);
        EXPECT_TRUE(busy.insert(a).second && busy.insert(b).second) << ranks;
        EXPECT_TRUE(all.insert({a, b}).second) << ranks;
      }
      EXPECT_EQ(static_cast<int>(pairs.size()), ranks / 2);
    }
    EXPECT_EQ(static_cast<int>(all.size()), ranks * (ranks - 1) / 2);
  }
  EXPECT_TRUE(rounds_of_pairs(1).empty());
}

TEST(RankPairs, PartnersAcrossTheHalvesAreMutual) {
  for (const int ranks : {2, 4, 6}) {
    for (int rank = 0; rank < ranks; ++rank) {
      const int peer = partner_across(rank, ranks);
      EXPECT_EQ(partner_across(peer, ranks), rank);
      EXPECT_NE(is_first_half(rank, ranks), is_first_half(peer, ranks));
    }
  }
  EXPECT_EQ(partner_across(1, 6), 4);
}

TEST(RankPairs, WorkAcrossTheHalvesOrAllInRounds) {
  EXPECT_EQ(working_pairs("adjacent", on_hosts(4)), (RoundsOfPairs{{{0, 2}, {1, 3}}}));
  EXPECT_EQ(working_pairs("all", on_hosts(5)), rounds_of_pairs(5));
}

TEST(RankPairs, RailsMeetOneAfterTheOther) {
  const RankPlaces places{.hosts = {"a", "a", "b", "b", "c"}, .leaves = {}};
  EXPECT_EQ(screened_rails("screening", places).size(), 1U);
  EXPECT_EQ(screened_rails("rails", places), (std::vector<fleet::Rail>{{0, 2, 4}, {1, 3}}));
  const RoundsOfPairs rounds = working_pairs("rails", places);
  ASSERT_EQ(rounds.size(), 4U) << "three rounds of three ranks, then one of two";
  std::set<std::pair<int, int>> first;
  for (std::size_t i = 0; i < 3; ++i) first.insert(rounds[i].begin(), rounds[i].end());
  EXPECT_EQ(first, (std::set<std::pair<int, int>>{{0, 2}, {0, 4}, {2, 4}}));
  EXPECT_EQ(rounds[3], (std::vector<std::pair<int, int>>{{1, 3}}));
  EXPECT_TRUE(working_pairs("rails", {.hosts = {"a", "a"}, .leaves = {}}).empty()) << "one host";
}

TEST(RankPairs, ScreeningsAreSpreadOverTheSwitches) {
  RankPlaces known = on_hosts(64);
  for (int rank = 0; rank < 64; ++rank) known.leaves.push_back("leaf" + std::to_string(rank / 8));
  const auto pairs_of_leaves = [&](const RoundsOfPairs& rounds) {
    std::set<std::pair<std::string, std::string>> met;
    for (const auto& pairs : rounds)
      for (const auto& [one, other] : pairs)
        met.insert(std::minmax(known.leaves[static_cast<std::size_t>(one)],
                               known.leaves[static_cast<std::size_t>(other)]));
    return met.size();
  };
  const RoundsOfPairs spread = working_pairs("screening", known),
                      plain = working_pairs("screening", on_hosts(64));
  EXPECT_EQ(spread.size(), plain.size());
  EXPECT_GT(pairs_of_leaves(spread), pairs_of_leaves(plain));
}

TEST(RankPairs, TheBusiestRoundLoadsALinkMost) {
  const std::vector<int> blocks = {0, 0, 1, 1}, turns = {0, 1, 0, 1}, own = {0, 1, 2, 3};
  const RoundsOfPairs across = working_pairs("adjacent", on_hosts(4)),
                      all = working_pairs("all", on_hosts(4));
  EXPECT_EQ(busiest_round(across, 10, 0, blocks), 20) << "both leave the first node";
  EXPECT_EQ(busiest_round(across, 10, 10, blocks), 20);
  EXPECT_EQ(busiest_round(across, 10, 0, turns), 0) << "partners share a node";
  EXPECT_EQ(busiest_round(across, 10, 0, own), 10);
  EXPECT_EQ(busiest_round(across, 10, 30, own), 30);
  EXPECT_EQ(busiest_round(all, 10, 10, blocks), 20);
  EXPECT_EQ(busiest_round(all, 10, 10, own), 10);
}

}  // namespace
}  // namespace scalemark::micro
