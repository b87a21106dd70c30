// SPDX-License-Identifier: Apache-2.0
// Totals of two ranks as rows of a table.
#include "common/profile/region_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"

namespace scalemark::profile {
namespace {

using testing::ElementsAre;

template <class Value>
const std::vector<Value>& values(const Table& table, const std::string& name) {
  for (const Column& column : table.columns) {
    if (column.name == name) return std::get<std::vector<Value>>(column.values);
  }
  throw std::runtime_error("no column " + name);
}

TEST(RegionTable, HasARowForEachRankAndRegionThatDidSomething) {
  ActivityCounter first, second;
  // Two copies to the device (kind 1) that overlap by 10 ns, one within it (kind 8).
  first.add_copy(1, 100, 1000, 1050);
  first.add_copy(1, 28, 1040, 1060);
  first.add_copy(8, 4096, 2000, 2001);
  first.add_call("cudaLaunchKernel", 7, 3000, 3005);
  first.add_kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)", 4000, 4400);
  second.add_kernel("gemm", 100, 150);
  second.add_call("a name\twith\nblanks", 7, 3000, 3005);
  const std::vector<std::string> packed = {pack_regions(first.totals(10'000)), "",
                                           pack_regions(second.totals(10'000))};
  const Table table = region_table(packed);
  EXPECT_THAT(values<std::uint64_t>(table, "rank"), ElementsAre(0, 0, 0, 0, 2, 2));
  EXPECT_THAT(values<std::string>(table, "region"),
              ElementsAre("copy", "copy", "call", "nccl", "call", "kernel"));
  EXPECT_THAT(
      values<std::string>(table, "name"),
      ElementsAre("htod", "dtod", "cudaLaunchKernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
                  "a_name?with?blanks", "other"));
  EXPECT_THAT(values<std::uint64_t>(table, "count"), ElementsAre(2, 1, 1, 1, 1, 1));
  EXPECT_THAT(values<std::uint64_t>(table, "bytes"), ElementsAre(128, 4096, 0, 0, 0, 0));
  EXPECT_THAT(values<std::uint64_t>(table, "time"), ElementsAre(70, 1, 5, 400, 5, 50));
  EXPECT_THAT(values<std::uint64_t>(table, "covered"), ElementsAre(60, 1, 5, 400, 5, 50));
}

TEST(RegionTable, NothingWatchedIsNoRowAndOtherTextIsRefused) {
  EXPECT_TRUE(pack_regions(ActivityCounter().totals(5)).empty());
  EXPECT_TRUE(values<std::string>(region_table({}), "name").empty());
  const std::vector<std::string> wrong = {"copy htod 1 2\n"};
  EXPECT_THROW(region_table(wrong), Error);
}

}  // namespace
}  // namespace scalemark::profile
