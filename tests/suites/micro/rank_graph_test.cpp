// SPDX-License-Identifier: Apache-2.0
// Graphs of ranks from text, and what is no graph.
#include "suites/micro/collective/rank_graph.hpp"

#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark::micro {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(RankGraph, NeighborsOfEachRank) {
  const RankGraph graph("# a comment\n2,0\n0,1\n\n0, 2\r\n1,0", 3);
  EXPECT_EQ(graph.edges(), 4U);
  const collective::Neighborhood first = graph.of(0), second = graph.of(1), third = graph.of(2);
  EXPECT_THAT(first.targets, ElementsAre(1, 2));
  EXPECT_THAT(first.sources, ElementsAre(1, 2));
  EXPECT_THAT(first.places, ElementsAre(0U, 0U));
  EXPECT_THAT(second.sources, ElementsAre(0));
  EXPECT_THAT(third.sources, ElementsAre(0));
  EXPECT_THAT(third.places, ElementsAre(1U));  // the second target of rank 0
  EXPECT_EQ(third.most_targets, 2U);
}

TEST(RankGraph, RanksWithoutNeighborsAndWithThemselves) {
  const RankGraph graph("0,0\n", 2);
  EXPECT_THAT(graph.of(0).sources, ElementsAre(0));
  EXPECT_THAT(graph.of(1).sources, IsEmpty());
  EXPECT_THAT(graph.of(1).targets, IsEmpty());
}

std::string error_of(std::string_view text) {
  try {
    const RankGraph graph(text, 4);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(RankGraph, WhatIsNoGraphIsSaidWithItsLine) {
  EXPECT_THAT(error_of(""), HasSubstr("no edge"));
  EXPECT_THAT(error_of("# 0,1\n"), HasSubstr("no edge"));
  for (const char* line : {"0", "0,4", "-1,2", "a,b", "0,1,2", "1.5,2", "99999999999999999999,1"})
    EXPECT_EQ(error_of("0,1\n" + std::string(line)),
              "line 2: '" + std::string(line) + "' is no edge of 4 ranks (SOURCE,TARGET)");
  EXPECT_EQ(error_of("0,1\n1,2\n0,1\n"), "line 3: the edge 0,1 is repeated");
}

TEST(RankGraph, FilesThatCannotBeRead) {
  EXPECT_THROW(read_edges("/nowhere/at/all"), Error);
  EXPECT_THROW(read_edges("/"), Error);
  const test::TempDir folder;
  const std::string path = folder / "edges.txt";
  std::ofstream(path) << "1,0\n";
  EXPECT_EQ(read_edges(path), "1,0\n");
}

}  // namespace
}  // namespace scalemark::micro
