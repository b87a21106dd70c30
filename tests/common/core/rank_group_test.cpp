// SPDX-License-Identifier: Apache-2.0
// Ranks of a span, and their places in groups.
#include "common/core/rank_group.hpp"

#include <set>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace scalemark {
namespace {

using testing::ElementsAre;

std::vector<int> groups_of(int ranks, int groups, const std::string& grouping) {
  std::vector<int> all;
  for (int rank = 0; rank < ranks; ++rank)
    all.push_back(place_in_group(rank, ranks, groups, grouping).group);
  return all;
}

TEST(RankGroup, BlocksFollowEachOther) {
  EXPECT_THAT(groups_of(6, 2, "blocks"), ElementsAre(0, 0, 0, 1, 1, 1));
  EXPECT_THAT(groups_of(6, 3, "blocks"), ElementsAre(0, 0, 1, 1, 2, 2));
}

TEST(RankGroup, StridedGroupsTakeEveryNthRank) {
  EXPECT_THAT(groups_of(6, 2, "strided"), ElementsAre(0, 1, 0, 1, 0, 1));
  EXPECT_THAT(groups_of(6, 3, "strided"), ElementsAre(0, 1, 2, 0, 1, 2));
}

TEST(RankGroup, EachRankHasItsOwnPlace) {
  for (const std::string& grouping : rank_groupings()) {
    for (const int groups : {1, 2, 3, 4, 6, 12}) {
      std::set<std::pair<int, int>> places;
      for (int rank = 0; rank < 12; ++rank) {
        const GroupPlace place = place_in_group(rank, 12, groups, grouping);
        EXPECT_EQ(place.size, 12 / groups);
        EXPECT_LT(place.rank, place.size);
        EXPECT_LT(place.group, groups);
        places.emplace(place.group, place.rank);
      }
      EXPECT_EQ(places.size(), 12U) << groups << " " << grouping;
    }
  }
}

TEST(RankGroup, SpansAreOfOneNodeOrOneOfEach) {
  const std::vector<int> nodes{7, 7, 3, 3, 5};
  EXPECT_THAT(select_ranks(nodes, "any", 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(select_ranks(nodes, "node", 3), ElementsAre(0, 1));
  EXPECT_THAT(select_ranks(nodes, "nodes", 9), ElementsAre(0, 2, 4));
}

}  // namespace
}  // namespace scalemark
