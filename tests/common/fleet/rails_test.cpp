// SPDX-License-Identifier: Apache-2.0
// Ranks of the same number on their hosts.
#include "common/fleet/rails.hpp"

#include <gtest/gtest.h>

namespace scalemark::fleet {
namespace {

using Hosts = std::vector<std::string>;

TEST(Rails, HaveOneRankOfEachHost) {
  EXPECT_EQ(rails(Hosts{"a", "a", "b", "b"}), (std::vector<Rail>{{0, 2}, {1, 3}}));
  EXPECT_EQ(rails(Hosts{"a", "b", "a", "b"}), (std::vector<Rail>{{0, 1}, {2, 3}})) << "in turns";
  EXPECT_EQ(rails(Hosts{"a", "b", "b"}), (std::vector<Rail>{{0, 1}, {2}})) << "one host has more";
  EXPECT_TRUE(rails(Hosts{}).empty());
  EXPECT_EQ(whole_job(3), (Rail{0, 1, 2}));
}

TEST(Rails, NumbersGoThereAndBack) {
  const Rail rail{1, 4, 7};
  EXPECT_EQ(on_rail(rail, {{{0, 2}}, {{1, 2}}}), (std::vector<PairRound>{{{1, 7}}, {{4, 7}}}));
  const std::vector<PairTime> times{{{1, 7}, 0.5}, {{0, 4}, 1}, {{4, 8}, 2}, {{4, 7}, 3}};
  const std::vector<PairTime> own = within_rail(rail, times);
  ASSERT_EQ(own.size(), 2U);
  EXPECT_EQ(own[0].nodes, (NodePair{0, 2}));
  EXPECT_EQ(own[0].seconds, 0.5);
  EXPECT_EQ(own[1].nodes, (NodePair{1, 2}));
}

}  // namespace
}  // namespace scalemark::fleet
