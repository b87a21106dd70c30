// SPDX-License-Identifier: Apache-2.0
// Patterns of one-sided accesses: what must hold for each, and each by its definition.
#include "suites/micro/one_sided/access_pattern.hpp"

#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "common/base/error.hpp"

namespace scalemark::micro {
namespace {

using Pairs = std::multiset<std::pair<int, int>>;

/// Who accesses whom.
Pairs pairs_of(const std::string& pattern, int ranks) {
  Pairs found;
  for (int rank = 0; rank < ranks; ++rank)
    for (const Place target : accesses_of(pattern, rank, ranks).targets)
      found.emplace(rank, target.rank);
  return found;
}

TEST(AccessPattern, NoTwoAccessesMeetAndEachIsKnownToItsTarget) {
  for (const std::string& pattern : access_patterns()) {
    for (const int ranks : {2, 3, 4, 7, 64}) {
      SCOPED_TRACE(pattern + " of " + std::to_string(ranks));
      std::set<std::pair<int, std::size_t>> places;
      std::size_t expected = 0, pieces = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const RankAccesses all = accesses_of(pattern, rank, ranks);
        expected += all.accessors.size();
        pieces = std::max(pieces, all.targets.size());
        for (const Place target : all.targets) {
          EXPECT_NE(target.rank, rank);
          EXPECT_LT(target.slot, slots_of(pattern, ranks));
          EXPECT_TRUE(places.emplace(target.rank, target.slot).second);
          const RankAccesses there = accesses_of(pattern, target.rank, ranks);
          ASSERT_LT(target.slot, there.accessors.size());
          EXPECT_EQ(there.accessors[target.slot], rank);
        }
      }
      EXPECT_EQ(places.size(), expected);
      EXPECT_EQ(pieces_of(pattern, ranks), pieces + slots_of(pattern, ranks));
    }
  }
}

TEST(AccessPattern, ByDefinition) {
  EXPECT_EQ(pairs_of("one_to_all", 4), (Pairs{{0, 1}, {0, 2}, {0, 3}}));
  EXPECT_EQ(pairs_of("all_to_one", 4), (Pairs{{1, 0}, {2, 0}, {3, 0}}));
  EXPECT_EQ(pairs_of("all_to_all", 3), (Pairs{{0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 1}}));
  EXPECT_EQ(pairs_of("neighbors", 4),
            (Pairs{{0, 1}, {0, 3}, {1, 0}, {1, 2}, {2, 1}, {2, 3}, {3, 2}, {3, 0}}));
  EXPECT_EQ(pairs_of("neighbors", 2), (Pairs{{0, 1}, {0, 1}, {1, 0}, {1, 0}}));
  EXPECT_THROW(accesses_of("star", 0, 2), UsageError);
}

/// At each step of an access to all, every rank is accessed by one other.
TEST(AccessPattern, RanksBeginWithDifferentTargets) {
  for (std::size_t step = 0; step < 4; ++step) {
    std::set<int> reached;
    for (int rank = 0; rank < 5; ++rank)
      reached.insert(accesses_of("all_to_all", rank, 5).targets.at(step).rank);
    EXPECT_EQ(reached.size(), 5U);
  }
}

}  // namespace
}  // namespace scalemark::micro
