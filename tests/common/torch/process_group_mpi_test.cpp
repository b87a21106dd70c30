// SPDX-License-Identifier: Apache-2.0
// c10d over MPI: sums, broadcasts, futures, and what is refused.
#include <string>

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/distributed/c10d/comm.hpp>

#include "common/base/error.hpp"
#include "common/torch/process_group/collectives.hpp"
#include "common/torch/process_group/process_group.hpp"
#include "tests/common/torch/group_checks.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark::torch_support {
namespace {

class ProcessGroupTest : public testing::Test {
 protected:
  std::unique_ptr<device::Device> host = device::make_host_device();
  std::unique_ptr<collective::Communicator> comm =
      collective::make_mpi_communicator(test::world(), *host);
  ProcessGroupPtr group = make_mpi_process_group(*comm);
  int rank = test::world().rank(), size = test::world().size();
};

TEST_F(ProcessGroupTest, KnowsItsRanks) {
  EXPECT_EQ(group->getRank(), rank);
  EXPECT_EQ(group->getSize(), size);
}

TEST_F(ProcessGroupTest, SumsEveryType) {
  for (const auto type : {at::kFloat, at::kDouble, at::kLong, at::kInt}) {
    std::vector<at::Tensor> tensors{at::arange(1000, at::TensorOptions(type)).add_(rank)};
    group->allreduce(tensors)->wait();
    const at::Tensor want =
        at::arange(1000, at::TensorOptions(type)) * size + size * (size - 1) / 2;
    EXPECT_TRUE(at::equal(tensors[0], want)) << type;
  }
}

TEST_F(ProcessGroupTest, SeveralOperationsAreUnderWayAtOnce) {
  std::vector<std::vector<at::Tensor>> buffers;
  std::vector<c10::intrusive_ptr<c10d::Work>> works;
  for (int i = 0; i < 8; ++i) {
    buffers.push_back({at::full({100'000}, rank + i, at::kFloat)});
    works.push_back(group->allreduce(buffers.back()));
  }
  for (std::size_t i = works.size(); i-- > 0;) works[i]->wait();  // not in the order of their start
  for (int i = 0; i < 8; ++i) {
    EXPECT_TRUE(buffers[static_cast<std::size_t>(i)][0]
                    .eq(size * i + size * (size - 1) / 2)
                    .all()
                    .item<bool>())
        << i;
  }
}

TEST_F(ProcessGroupTest, BroadcastsFromAnyRank) {
  for (int root = 0; root < size; ++root) {
    std::vector<at::Tensor> tensors{at::full({77}, rank, at::kDouble)};
    c10d::BroadcastOptions options;
    options.rootRank = root;
    group->broadcast(tensors, options)->wait();
    EXPECT_TRUE(tensors[0].eq(root).all().item<bool>());
  }
}

TEST_F(ProcessGroupTest, BroadcastsManyTensorsOfSeveralTypesInFewMessages) {
  const std::vector<at::Tensor> tensors{at::full({3}, rank, at::kFloat),
                                        at::full({}, rank, at::kLong),
                                        at::full({2, 2}, rank, at::kFloat)};
  c10d::broadcast_coalesced(group, tensors, 1 << 20);
  for (const at::Tensor& tensor : tensors) EXPECT_TRUE(tensor.eq(0).all().item<bool>());
}

TEST_F(ProcessGroupTest, SumsSixteenBitTypes) {
  for (const auto type : {at::kHalf, at::kBFloat16}) {
    // Multiples of 1/4 up to 16, so that every sum is exact.
    std::vector<at::Tensor> tensors{(at::arange(64, at::TensorOptions(type)) / 4).add_(rank)};
    group->allreduce(tensors)->wait();
    const at::Tensor want = at::arange(64, at::kFloat) / 4 * size + size * (size - 1) / 2;
    EXPECT_TRUE(at::equal(tensors[0].to(at::kFloat), want)) << type;
  }
}

TEST_F(ProcessGroupTest, GathersIntoOneTensor) {
  expect_gathered(*group,
                  {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kByte, at::kChar});
}

TEST_F(ProcessGroupTest, EachRankGetsItsPartOfASum) {
  expect_parts_of_sums(*group,
                       {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kLong, at::kInt});
}

TEST_F(ProcessGroupTest, GathersAndPartsOfSumsGoOnTogether) {
  constexpr std::int64_t kEach = 50'000;
  std::vector<at::Tensor> mine, all, whole, part;
  std::vector<c10::intrusive_ptr<c10d::Work>> works;
  for (int i = 0; i < 4; ++i) {
    mine.push_back(at::full({kEach}, rank + i, at::kFloat));
    all.push_back(at::zeros({kEach * size}, at::kFloat));
    whole.push_back(at::full({kEach * size}, rank * i, at::kFloat));
    part.push_back(at::zeros({kEach}, at::kFloat));
    works.push_back(all_gather_single(*group, all.back(), mine.back()));
    works.push_back(reduce_scatter_single(*group, part.back(), whole.back()));
  }
  for (std::size_t i = works.size(); i-- > 0;) works[i]->wait();  // not in the order of their start
  for (int i = 0; i < 4; ++i) {
    const auto at = static_cast<std::size_t>(i);
    for (int from = 0; from < size; ++from)
      EXPECT_TRUE(all[at].narrow(0, kEach * from, kEach).eq(from + i).all().item<bool>());
    EXPECT_TRUE(part[at].eq(i * size * (size - 1) / 2).all().item<bool>());
  }
}

TEST_F(ProcessGroupTest, OutsideABackwardPassAFutureIsDoneWhenItIsGiven) {
  std::vector<at::Tensor> tensors{at::full({10}, 1, at::kFloat)};
  const auto future = group->allreduce(tensors)->getFuture();
  EXPECT_TRUE(future->completed());
  EXPECT_TRUE(tensors[0].eq(size).all().item<bool>());
}

TEST_F(ProcessGroupTest, DenseTensorsInOtherLayoutsAreSent) {
  std::vector<at::Tensor> tensors{
      at::full({2, 3, 4, 4}, 1, at::kFloat).contiguous(at::MemoryFormat::ChannelsLast)};
  group->allreduce(tensors)->wait();
  EXPECT_TRUE(tensors[0].eq(size).all().item<bool>());
}

TEST_F(ProcessGroupTest, WhatItCannotDoItRefusesOnEveryRankBeforeItSends) {
  c10d::AllreduceOptions maximum;
  maximum.reduceOp = c10d::ReduceOp::MAX;
  std::vector<at::Tensor> tensors{at::zeros({4})};
  EXPECT_THROW(group->allreduce(tensors, maximum), c10::Error);
  tensors = {at::zeros({4, 4}).slice(1, 0, 2)};
  EXPECT_THROW(group->allreduce(tensors), c10::Error) << "gaps";
  tensors = {at::zeros({4}, at::kComplexFloat)};
  EXPECT_THROW(group->allreduce(tensors), Unavailable);
  at::Tensor part = at::zeros({3}), whole = at::zeros({3 * size + 1});
  EXPECT_THROW(all_gather_single(*group, whole, part), c10::Error);
  EXPECT_THROW(reduce_scatter_single(*group, part, whole), c10::Error);
  whole = at::zeros({3 * size}, at::kDouble);
  EXPECT_THROW(all_gather_single(*group, whole, part), c10::Error);
  tensors = {at::zeros({1}), at::zeros({1})};
  EXPECT_THROW(group->broadcast(tensors), c10::Error);
}

}  // namespace
}  // namespace scalemark::torch_support
