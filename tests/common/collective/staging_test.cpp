// SPDX-License-Identifier: Apache-2.0
// Staging of device memory, on a device made up of host memory.
#include "common/collective/staging.hpp"

#include <algorithm>
#include <memory>

#include <gtest/gtest.h>

#include "tests/common/collective/fake_gpu.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark::collective {
namespace {

using device::Buffer;
using device::MemoryKind;
using test::FakeGpu;
using test::LazyStream;

class StagedCommunicator : public ::testing::Test {
 protected:
  Buffer doubles(std::size_t count, double value, MemoryKind kind = MemoryKind::device) {
    Buffer buffer = gpu_.allocate(count * sizeof(double), kind, -1);
    std::fill_n(buffer.as<double>(), count, value);
    return buffer;
  }
  void expect_all(const Buffer& buffer, double value) {
    for (std::size_t i = 0; i < buffer.bytes() / sizeof(double); ++i)
      ASSERT_EQ(buffer.as<double>()[i], value) << i;
  }
  FakeGpu gpu_;
  LazyStream stream_;
  std::unique_ptr<Communicator> comm_ = make_mpi_communicator(test::world(), gpu_);
  int rank_ = comm_->rank(), size_ = comm_->size();
};

TEST_F(StagedCommunicator, TakesDeviceMemoryAndSaysItIsMpi) {
  EXPECT_EQ(comm_->backend(), "mpi");
  EXPECT_EQ(comm_->why_not(DType::fp32, ReduceOp::sum, MemoryKind::device), "");
  EXPECT_NE(comm_->why_not(Call{.mode = Mode::graph}, MemoryKind::device), "");
}

TEST_F(StagedCommunicator, AllreduceWithGrowingAndShrinkingSizes) {
  for (const std::size_t count : {1U, 1000U, 3U, 0U, 2000U}) {
    const Buffer in = doubles(count, rank_ + 1.0), out = doubles(count, -1.0);
    comm_->allreduce(in.data(), out.data(), count, DType::fp64, ReduceOp::sum, stream_);
    expect_all(out, size_ * (size_ + 1) / 2.0);
    expect_all(in, rank_ + 1.0);
    comm_->allreduce(in.data(), in.data(), count, DType::fp64, ReduceOp::max, stream_);
    expect_all(in, size_);
  }
}

TEST_F(StagedCommunicator, WaitsForEarlierWorkOfTheStream) {
  const Buffer source = doubles(10, rank_ + 1.0, MemoryKind::pinned), data = doubles(10, 0.0);
  gpu_.copy(data.data(), source.data(), source.bytes(), stream_);
  comm_->allreduce(data.data(), data.data(), 10, DType::fp64, ReduceOp::sum, stream_);
  expect_all(data, size_ * (size_ + 1) / 2.0);
  // Also where the memory itself needs no staging.
  const Buffer host = doubles(10, 0.0, MemoryKind::pinned);
  gpu_.copy(host.data(), source.data(), source.bytes(), stream_);
  comm_->allreduce(host.data(), host.data(), 10, DType::fp64, ReduceOp::sum, stream_);
  expect_all(host, size_ * (size_ + 1) / 2.0);
}

TEST_F(StagedCommunicator, AllgatherInAndOutOfPlace) {
  const auto ranks = static_cast<std::size_t>(size_);
  const Buffer in = doubles(7, rank_), out = doubles(7 * ranks, -1.0);
  comm_->allgather(in.data(), out.data(), 7, DType::fp64, stream_);
  const auto sender = [](std::size_t i) { return static_cast<int>(i / 7); };
  for (std::size_t i = 0; i < 7 * ranks; ++i) EXPECT_EQ(out.as<double>()[i], sender(i));
  const Buffer both = doubles(7 * ranks, -1.0);
  double* mine = both.as<double>() + 7 * static_cast<std::size_t>(rank_);
  std::fill_n(mine, 7, rank_ + 0.5);
  comm_->allgather(mine, both.data(), 7, DType::fp64, stream_);
  for (std::size_t i = 0; i < 7 * ranks; ++i) EXPECT_EQ(both.as<double>()[i], sender(i) + 0.5);
}

TEST_F(StagedCommunicator, BroadcastFromEveryRoot) {
  for (int root = 0; root < size_; ++root) {
    const Buffer data = doubles(9, rank_ == root ? 3.5 : -1.0);
    comm_->broadcast(data.data(), 9, DType::fp64, root, stream_);
    expect_all(data, 3.5);
  }
}

TEST_F(StagedCommunicator, MessagesToThePeer) {
  if (size_ == 1) GTEST_SKIP() << "needs a peer";
  const Buffer out = doubles(33, rank_), in = doubles(33, -1.0);
  const int peer = 1 - rank_;
  if (rank_ == 0) comm_->send(out.data(), 33, DType::fp64, peer, stream_);
  comm_->recv(in.data(), 33, DType::fp64, peer, stream_);
  if (rank_ == 1) comm_->send(out.data(), 33, DType::fp64, peer, stream_);
  expect_all(in, peer);
}

}  // namespace
}  // namespace scalemark::collective
