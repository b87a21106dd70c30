// SPDX-License-Identifier: Apache-2.0
// Names and extents of communication routines, worked out by hand.
#include "common/collective/call.hpp"

#include <gtest/gtest.h>

#include "common/base/error.hpp"

namespace scalemark::collective {
namespace {

TEST(Call, NamesGoBothWays) {
  for (int i = 0; i <= static_cast<int>(Routine::neighbor_alltoallw); ++i) {
    const auto routine = static_cast<Routine>(i);
    EXPECT_EQ(routine_from(to_string(routine)), routine);
  }
  EXPECT_EQ(to_string(Routine::reduce_scatter), "reduce_scatter");
  EXPECT_EQ(mode_from("persistent"), Mode::persistent);
  EXPECT_THROW(routine_from("neighbor_reduce"), UsageError);
  EXPECT_EQ(device_api_from(to_string(DeviceApi::multimem)), DeviceApi::multimem);
  EXPECT_THROW(mode_from("lazy"), UsageError);
}

TEST(Call, KernelsOverTheDeviceApiCarryOutSomeCallsOnly) {
  const auto has_kernel = [](Routine routine, DeviceApi api, DType type, ReduceOp op) {
    return why_no_kernel({.routine = routine, .type = type, .op = op, .device_api = api}).empty();
  };
  using enum DeviceApi;
  EXPECT_TRUE(has_kernel(Routine::allgather, none, DType::fp64, ReduceOp::max));
  EXPECT_TRUE(has_kernel(Routine::allreduce, lsa, DType::bf16, ReduceOp::sum));
  EXPECT_TRUE(has_kernel(Routine::allreduce, multimem, DType::fp32, ReduceOp::sum));
  EXPECT_FALSE(has_kernel(Routine::allreduce, lsa, DType::fp64, ReduceOp::sum));
  EXPECT_FALSE(has_kernel(Routine::allreduce, lsa, DType::fp16, ReduceOp::avg));
  EXPECT_TRUE(has_kernel(Routine::alltoall, lsa, DType::int8, ReduceOp::sum));
  EXPECT_FALSE(has_kernel(Routine::alltoall, multimem, DType::fp32, ReduceOp::sum));
  EXPECT_FALSE(has_kernel(Routine::allgather, lsa, DType::fp32, ReduceOp::sum));
}

TEST(Call, ExtentsOfThreeRanks) {
  struct Row {
    Routine routine;
    std::size_t in_root, out_root, in_other, out_other;
  };
  // Root 1 of 3 ranks, 5 elements.
  const Row rows[] = {
      {Routine::barrier, 0, 0, 0, 0},      {Routine::allreduce, 5, 5, 5, 5},
      {Routine::reduce, 5, 5, 5, 0},       {Routine::broadcast, 5, 0, 0, 5},
      {Routine::allgather, 5, 15, 5, 15},  {Routine::gather, 5, 15, 5, 0},
      {Routine::scatter, 15, 5, 0, 5},     {Routine::reduce_scatter, 15, 5, 15, 5},
      {Routine::alltoall, 15, 15, 15, 15}, {Routine::reduce_scatter_block, 15, 5, 15, 5}};
  for (const Row& row : rows) {
    const Call call{.routine = row.routine, .count = 5, .root = 1};
    EXPECT_EQ(in_elements(call, 1, 3), row.in_root) << to_string(row.routine);
    EXPECT_EQ(out_elements(call, 1, 3), row.out_root) << to_string(row.routine);
    EXPECT_EQ(in_elements(call, 2, 3), row.in_other) << to_string(row.routine);
    EXPECT_EQ(out_elements(call, 2, 3), row.out_other) << to_string(row.routine);
  }
}

TEST(Call, ExtentsOfUnequalParts) {
  for (const Routine routine : {Routine::alltoallv, Routine::alltoallw}) {
    const Call call{.routine = routine, .to = {1, 0, 2}, .from = {4, 5, 6}};
    EXPECT_EQ(in_elements(call, 0, 3), 3U);
    EXPECT_EQ(out_elements(call, 0, 3), 15U);
  }
  const Call gather{.routine = Routine::gatherv, .root = 2, .from = {4, 5, 6}};
  EXPECT_EQ(in_elements(gather, 1, 3), 5U);
  EXPECT_EQ(out_elements(gather, 1, 3), 0U);
  EXPECT_EQ(out_elements(gather, 2, 3), 15U);
  const Call scatter{.routine = Routine::scatterv, .root = 0, .to = {7, 8, 9}};
  EXPECT_EQ(in_elements(scatter, 0, 3), 24U);
  EXPECT_EQ(in_elements(scatter, 1, 3), 0U);
  EXPECT_EQ(out_elements(scatter, 2, 3), 9U);
}

TEST(Call, ExtentsOfNeighborhoods) {
  for (int i = static_cast<int>(Routine::neighbor_allgather);
       i <= static_cast<int>(Routine::neighbor_alltoallw); ++i) {
    const Call call{.routine = static_cast<Routine>(i),
                    .count = 5,
                    .neighbors = {.sources = {3, 1, 0}, .targets = {3, 1}}};
    const bool gathers = i <= static_cast<int>(Routine::neighbor_allgatherv);
    EXPECT_TRUE(is_neighborhood(call.routine));
    EXPECT_EQ(in_elements(call, 2, 4), gathers ? 5U : 10U) << to_string(call.routine);
    EXPECT_EQ(out_elements(call, 2, 4), 15U) << to_string(call.routine);
  }
  EXPECT_FALSE(is_neighborhood(Routine::reduce_scatter_block));
}

}  // namespace
}  // namespace scalemark::collective
