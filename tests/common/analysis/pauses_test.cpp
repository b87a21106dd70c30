// SPDX-License-Identifier: Apache-2.0
// How pauses are grouped by NUMA node.
#include "common/analysis/pauses.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/result/places.hpp"

namespace scalemark::analysis {
namespace {

using ::testing::HasSubstr;

RankInfo rank_on(const char* node, int numa) {
  RankInfo info;
  info.node = node;
  info.numa = numa;
  return info;
}

/// Three ranks and two epochs; milliseconds by rank, then epoch.
CaseResult training(std::size_t ranks, const std::vector<std::uint64_t>& milliseconds) {
  CaseResult result;
  result.key = "imaging/train ranks=" + std::to_string(ranks);
  Metric pause;
  // GCC 12 gives a false warning for the plain assignment
  pause.name = std::string("epoch_start_pause");
  pause.samples.ranks = ranks;
  pause.samples.iterations = milliseconds.size() / ranks;
  pause.samples.values = milliseconds;
  pause.samples.scale = 1e-3;
  result.metrics.push_back(pause);
  return result;
}

TEST(Pauses, AreThoseOfTheRanksOfANode) {
  scalemark::Run run;
  run.ranks = {rank_on("a", 0), rank_on("a", 1), rank_on("a", 0), rank_on("b", 0)};
  run.cases = {training(3, {1, 3, 10, 20, 5, 100})};
  const auto tables = pause_tables(run);
  ASSERT_EQ(tables.size(), 1U) << "there is no test_pause";
  ASSERT_EQ(tables[0].nodes.size(), 2U) << "the fourth rank took no part";
  EXPECT_EQ(tables[0].nodes[0].ranks, 2U);
  EXPECT_DOUBLE_EQ(tables[0].nodes[0].median, 4e-3) << "of 1, 3, 5, 100";
  EXPECT_DOUBLE_EQ(tables[0].nodes[0].longest, 0.1);
  EXPECT_EQ(tables[0].nodes[1].numa, 1);
  EXPECT_DOUBLE_EQ(tables[0].nodes[1].median, 15e-3);
  std::ostringstream text;
  print_pauses(run, text);
  EXPECT_THAT(text.str(), HasSubstr("imaging/train ranks=3\n"));
  EXPECT_THAT(text.str(), HasSubstr("a NUMA node 1: 1 rank, median 15.00 ms, longest 20.00 ms"));
}

TEST(Pauses, OfACaseThatWasResumedElsewhereAreOfTheHostsThere) {
  scalemark::Run run;
  run.ranks = {rank_on("a", 0), rank_on("b", 0)};
  run.cases = {training(2, {1, 3, 10, 20})};
  std::vector<RankInfo> moved = {rank_on("a", 1), rank_on("c", 2)};
  run.cases[0].tables[kPlacesTable] = places_table(moved);
  std::ostringstream text;
  print_pauses(run, text);
  EXPECT_THAT(text.str(), HasSubstr("a NUMA node 1: 1 rank, median 2.000 ms"));
  EXPECT_THAT(text.str(), HasSubstr("c NUMA node 2: 1 rank, median 15.00 ms"));
}

TEST(Pauses, OneNodeIsNoComparison) {
  scalemark::Run run;
  run.ranks = {rank_on("a", 0), rank_on("a", 0), rank_on("a", 1)};
  run.cases = {training(2, {1, 2})};
  EXPECT_TRUE(pause_tables(run).empty());
  run.cases = {training(3, {1, 2, 3})};
  run.cases[0].status = Status::failed;
  EXPECT_TRUE(pause_tables(run).empty());
  std::ostringstream text;
  print_pauses(run, text);
  EXPECT_EQ(text.str(), "");
}

TEST(Pauses, ATableOfRanksThatIsTooShortIsNoDanger) {
  scalemark::Run run;
  run.ranks = {rank_on("a", 0)};
  run.cases = {training(3, {1, 2, 3})};
  EXPECT_TRUE(pause_tables(run).empty());
}

}  // namespace
}  // namespace scalemark::analysis
