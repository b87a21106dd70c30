// SPDX-License-Identifier: Apache-2.0
#include "common/cli/commands/bound_by_ranks.hpp"

#include <gtest/gtest.h>

namespace scalemark::cli {
namespace {

TEST(BoundByRanks, NeighborsWithTheSameBoundAreOneRange) {
  EXPECT_EQ(bound_by_ranks({{1, "computing"}, {2, "computing"}, {4, "waiting"}, {8, "computing"}}),
            "computing on 1 to 2 ranks, waiting on 4 ranks, computing on 8 ranks");
  EXPECT_EQ(bound_by_ranks({{1, "computing"}}), "computing on 1 rank");
  EXPECT_EQ(bound_by_ranks({}), "");
}

}  // namespace
}  // namespace scalemark::cli
