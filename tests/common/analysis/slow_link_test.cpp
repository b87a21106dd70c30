// SPDX-License-Identifier: Apache-2.0
// Which pair of GPUs is reported slow, on made-up matrices.
#include "common/analysis/slow_link.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "tests/common/analysis/gpu_matrix.hpp"

namespace scalemark::analysis {
namespace {

TEST(SlowLink, OneSlowLinkIsNamedInBothDirections) {
  const auto slow = slow_link(matrix(4, [](auto a, auto b) {
    return usual(a, b) * ((a == 1 && b == 3) || (a == 3 && b == 1) ? 3 : 1);
  }));
  ASSERT_TRUE(slow);
  EXPECT_TRUE((slow->from == 1 && slow->to == 3) || (slow->from == 3 && slow->to == 1));
  EXPECT_NEAR(slow->factor, 3, 0.2);
  EXPECT_EQ(slow->slow, 2U);
  EXPECT_EQ(slow->pairs, 12U);
  EXPECT_NE(slow_text(*slow).find("times as long as the median of 12 pairs (2 are slow)"),
            std::string::npos);
}

TEST(SlowLink, LoadsAreJudgedAsCopiesAre) {
  CaseResult loads =
      matrix(4, [](auto a, auto b) { return usual(a, b) * (a == 2 && b == 0 ? 2 : 1); });
  loads.tables["pairs"].columns[2].name = "latency";
  const auto slow = slow_link(loads);
  ASSERT_TRUE(slow);
  EXPECT_TRUE(slow->from == 2 && slow->to == 0 && slow->slow == 1);
  EXPECT_EQ(gpu_pairs(loads)->bytes, 0) << "a load has no size";
}

TEST(SlowLink, EqualLinksHaveNone) {
  EXPECT_FALSE(slow_link(matrix(4, usual)));
  EXPECT_FALSE(slow_link(matrix(8, usual)));
}

/// Two sockets: pairs across take longer. No link is broken.
TEST(SlowLink, AMachineOfTwoHalvesHasNone) {
  EXPECT_FALSE(
      slow_link(matrix(4, [](auto a, auto b) { return usual(a, b) * (a / 2 == b / 2 ? 1 : 2); })));
}

TEST(SlowLink, FewPairsAndDamagedTablesAreNotJudged) {
  EXPECT_FALSE(slow_link(matrix(2, [](auto a, auto) { return a == 0 ? 1.0 : 9.0; })));
  EXPECT_FALSE(slow_link(CaseResult{}));
  CaseResult zero = matrix(4, [](auto a, auto b) { return a + b == 1 ? 0.0 : 1.0; });
  EXPECT_FALSE(slow_link(zero));
  zero.tables["pairs"].columns[2].values = std::vector<double>{1, 2};
  EXPECT_FALSE(slow_link(zero));
}

}  // namespace
}  // namespace scalemark::analysis
