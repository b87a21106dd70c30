// SPDX-License-Identifier: Apache-2.0
// Which rows stand for the message of a step.
#include "common/cli/commands/predict_collective.hpp"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/common/cli/collective_runs.hpp"

namespace scalemark::cli {
namespace {

constexpr double kBytes = 64;

/// Ranks 2 and 4 are on one node, 6 and 8 on two.
TEST(PredictedMessage, IsThatOfItsOwnRowWithinANode) {
  const CollectiveRuns runs;
  const std::string near = runs.write({.name = "near", .ranks = {2, 4}, .seconds = 1e-5}),
                    far = runs.write({.name = "far", .ranks = {6, 8}, .seconds = 8e-5});
  const Collective collective({near, far}, "micro/allreduce", {});
  for (const int ranks : {2, 4, 6, 8}) {
    const auto found = collective.time(kBytes, ranks);
    ASSERT_TRUE(found) << ranks;
    EXPECT_EQ(found->source, "measured");
    EXPECT_TRUE(found->is_from_rows);
    EXPECT_NEAR(found->seconds, ranks > 4 ? 8e-5 : 1e-5, 1e-12);
  }
  EXPECT_FALSE(collective.time(kBytes, 16)->is_from_rows) << "a form predicts it";
}

/// Four ranks of one node and of four.
TEST(PredictedMessage, IsThatOfTheNodesAskedFor) {
  const CollectiveRuns runs;
  const std::string near = runs.write({.name = "near", .ranks = {2, 4}, .seconds = 1e-5}),
                    far = runs.write(
                        {.name = "far", .ranks = {4}, .ranks_per_node = 1, .seconds = 8e-5});
  const Collective collective({near, far}, "micro/allreduce", {});
  EXPECT_EQ(collective.time(kBytes, 4, 1)->source, "measured on 1 node");
  EXPECT_NEAR(collective.time(kBytes, 4, 1)->seconds, 1e-5, 1e-12);
  EXPECT_EQ(collective.time(kBytes, 4, 4)->source, "measured on 4 nodes");
  EXPECT_NEAR(collective.time(kBytes, 4, 4)->seconds, 8e-5, 1e-12);
  EXPECT_EQ(collective.time(kBytes, 4)->source, "measured on 1 node") << "the fewest";
  EXPECT_FALSE(collective.time(kBytes, 4, 2)) << "no row, and too few for a form";
  EXPECT_FALSE(collective.time(kBytes, 2, 2));
}

}  // namespace
}  // namespace scalemark::cli
