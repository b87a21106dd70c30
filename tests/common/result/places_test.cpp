// SPDX-License-Identifier: Apache-2.0
// Where the ranks of a case ran, from its own table.
#include "common/result/places.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace scalemark {
namespace {

RankInfo rank_on(int rank, const char* node, int numa) {
  RankInfo info;
  info.rank = rank;
  info.node = node;
  info.local_rank = 2;
  info.cpuset = "0-3";
  info.numa = numa;
  info.gpu_uuid = "GPU-1";
  info.gpu_pci = "0000:18:00.0";
  info.gpu_model = "NVIDIA H200";
  info.nic = "mlx5_0";
  info.note = "a note";
  return info;
}

TEST(Places, OfACaseComeBackFromItsTable) {
  CaseResult result;
  result.tables[kPlacesTable] = places_table({rank_on(0, "n0", 1), rank_on(1, "n9", -1)});
  const std::vector<RankInfo> ranks = ranks_of_case(result, {rank_on(0, "n0", 0)});
  ASSERT_EQ(ranks.size(), 2U);
  EXPECT_EQ(ranks[0].numa, 1);
  const RankInfo& last = ranks[1];
  EXPECT_EQ(last.rank, 1);
  EXPECT_EQ(last.node, "n9");
  EXPECT_EQ(last.local_rank, 2);
  EXPECT_EQ(last.cpuset, "0-3");
  EXPECT_EQ(last.numa, -1);
  EXPECT_EQ(last.gpu_uuid, "GPU-1");
  EXPECT_EQ(last.gpu_pci, "0000:18:00.0");
  EXPECT_EQ(last.gpu_model, "NVIDIA H200");
  EXPECT_EQ(last.nic, "mlx5_0");
  EXPECT_EQ(last.note, "a note");
}

TEST(Places, OfACaseWithoutATableAreThoseOfTheRun) {
  CaseResult result;
  EXPECT_EQ(ranks_of_case(result, {rank_on(0, "n0", 0)}).at(0).node, "n0");
  // A table without nodes says nothing.
  result.tables[kPlacesTable] = {{{"rank", "", std::vector<std::uint64_t>{0}}}};
  EXPECT_EQ(ranks_of_case(result, {rank_on(0, "n0", 0)}).at(0).node, "n0");
}

TEST(Places, OfAnOlderTableHaveNoNumaNode) {
  CaseResult result;
  result.tables[kPlacesTable] = {
      {{"rank", "", std::vector<std::uint64_t>{4}}, {"node", "", std::vector<std::string>{"n3"}}}};
  const std::vector<RankInfo> ranks = ranks_of_case(result, {});
  ASSERT_EQ(ranks.size(), 1U);
  EXPECT_EQ(ranks[0].rank, 4);
  EXPECT_EQ(ranks[0].node, "n3");
  EXPECT_EQ(ranks[0].numa, -1);
}

TEST(Places, OfATableThatIsOddAreNoDanger) {
  CaseResult result;
  result.tables[kPlacesTable] = {
      {{"node", "", std::vector<std::string>{"a", "b", "c"}},
       {"rank", "", std::vector<std::uint64_t>{std::numeric_limits<std::uint64_t>::max()}},
       {"numa", "", std::vector<double>{std::numeric_limits<double>::quiet_NaN(), 1e300}},
       {"cpuset", "", std::vector<double>{1, 2, 3}}}};
  const std::vector<RankInfo> ranks = ranks_of_case(result, {});
  ASSERT_EQ(ranks.size(), 3U);
  EXPECT_EQ(ranks[0].rank, 0);
  EXPECT_EQ(ranks[1].numa, -1);
  EXPECT_EQ(ranks[2].node, "c");
}

}  // namespace
}  // namespace scalemark
