// SPDX-License-Identifier: Apache-2.0
// Rounds: disjoint pairs, each once in a tournament, spread over switches.
#include "common/fleet/pair_rounds.hpp"

#include <set>
#include <utility>

#include <gtest/gtest.h>

namespace scalemark::fleet {
namespace {

void expect_disjoint(const PairRound& round, std::size_t nodes) {
  std::set<std::size_t> seen;
  for (const NodePair& pair : round) {
    EXPECT_LT(pair.a, pair.b);
    EXPECT_LT(pair.b, nodes);
    EXPECT_TRUE(seen.insert(pair.a).second) << pair.a;
    EXPECT_TRUE(seen.insert(pair.b).second) << pair.b;
  }
}

TEST(PairRounds, ATournamentHasEachPairOnce) {
  for (const std::size_t nodes : {2U, 3U, 4U, 7U, 8U, 33U, 64U}) {
    const std::size_t rounds = nodes % 2 == 0 ? nodes - 1 : nodes;
    std::set<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t index = 0; index < rounds; ++index) {
      const PairRound round = tournament_round(nodes, index);
      EXPECT_EQ(round.size(), nodes / 2);
      expect_disjoint(round, nodes);
      for (const NodePair& pair : round) EXPECT_TRUE(pairs.emplace(pair.a, pair.b).second);
    }
    EXPECT_EQ(pairs.size(), nodes * (nodes - 1) / 2);
  }
  EXPECT_TRUE(tournament_round(1, 0).empty());
}

TEST(PairRounds, ScreeningTakesFew) {
  EXPECT_EQ(screening_rounds(4096), 4U);
  EXPECT_EQ(screening_rounds(1024), 3U);
  EXPECT_EQ(screening_rounds(16), 3U);
  EXPECT_EQ(screening_rounds(2), 1U) << "there is no other";
  EXPECT_EQ(screening_rounds(3), 3U);
  EXPECT_EQ(screening_rounds(1), 0U);
  EXPECT_EQ(screening_rounds(0), 0U);
  for (const std::size_t nodes : {2U, 5U, 16U, 4096U}) {
    const std::vector<PairRound> rounds = screening(nodes, screening_rounds(nodes));
    EXPECT_EQ(rounds.size(), screening_rounds(nodes));
    std::set<std::pair<std::size_t, std::size_t>> pairs;
    for (const PairRound& round : rounds)
      for (const NodePair& pair : round) EXPECT_TRUE(pairs.emplace(pair.a, pair.b).second);
  }
}

TEST(PairRounds, ScreeningBringsManySwitchesTogether) {
  std::vector<std::string> leaves;
  for (std::size_t node = 0; node < 64; ++node) leaves.push_back("leaf" + std::to_string(node / 8));
  std::set<std::pair<std::string, std::string>> met;
  for (const PairRound& round : screening(64, 3, leaves)) {
    expect_disjoint(round, 64);
    for (const NodePair& pair : round) met.insert(std::minmax(leaves[pair.a], leaves[pair.b]));
  }
  EXPECT_GE(met.size(), 24U) << "of 36";
}

TEST(PairRounds, SuspectsMeetOtherProvenNodes) {
  const std::vector<std::size_t> suspects{3, 9, 20}, proven{0, 1, 2, 4, 5, 6, 7, 8};
  const std::vector<PairRound> rounds = confirmation(suspects, proven, 5);
  ASSERT_EQ(rounds.size(), 5U);
  std::set<std::pair<std::size_t, std::size_t>> pairs;
  for (const PairRound& round : rounds) {
    EXPECT_EQ(round.size(), 3U);
    expect_disjoint(round, 21);
    for (const NodePair& pair : round) EXPECT_TRUE(pairs.emplace(pair.a, pair.b).second);
  }
  EXPECT_EQ(confirmation(proven, suspects, 5).size(), 3U * 3U) << "eight suspects, three partners";
  EXPECT_TRUE(confirmation(suspects, {}, 5).empty());
  EXPECT_TRUE(confirmation({}, proven, 5).empty());
}

TEST(PairRounds, PairsAreMeasuredInDisjointRounds) {
  const std::vector<NodePair> pairs{{0, 1}, {2, 3}, {1, 2}, {0, 3}, {4, 5}};
  const std::vector<PairRound> rounds = disjoint_rounds(pairs);
  ASSERT_EQ(rounds.size(), 2U);
  std::size_t count = 0;
  for (const PairRound& round : rounds) {
    expect_disjoint(round, 6);
    count += round.size();
  }
  EXPECT_EQ(count, pairs.size());
  EXPECT_TRUE(disjoint_rounds({}).empty());
}

}  // namespace
}  // namespace scalemark::fleet
