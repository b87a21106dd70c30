// SPDX-License-Identifier: Apache-2.0
// Device memory that MPI gets as it is, on a device made up of host memory: no copies are made, and
// what the stream has to do is done before.
#include <algorithm>
#include <array>
#include <memory>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/collective/communicator.hpp"
#include "common/collective/one_sided.hpp"
#include "tests/common/collective/fake_gpu.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark::collective {
namespace {

using device::Buffer;
using device::MemoryKind;

class DirectCommunicator : public ::testing::Test {
 protected:
  Buffer doubles(std::size_t count, double value) {
    Buffer buffer = gpu_.allocate(count * sizeof(double), MemoryKind::device, -1);
    std::fill_n(buffer.as<double>(), count, value);
    return buffer;
  }
  test::FakeGpu gpu_;
  test::LazyStream stream_;
  std::unique_ptr<Communicator> comm_ =
      make_mpi_communicator(test::world(), gpu_, DeviceMemory::direct);
  int rank_ = comm_->rank(), size_ = comm_->size();
};

TEST_F(DirectCommunicator, HandsItOverWithoutACopy) {
  EXPECT_EQ(comm_->why_not(DType::fp32, ReduceOp::sum, MemoryKind::device), "");
  const Buffer in = doubles(1000, rank_ + 1.0), out = doubles(1000, -1.0);
  comm_->allreduce(in.data(), out.data(), 1000, DType::fp64, ReduceOp::sum, stream_);
  EXPECT_EQ(std::count(out.as<double>(), out.as<double>() + 1000, size_ * (size_ + 1) / 2.0), 1000);
  EXPECT_EQ(gpu_.allocations[MemoryKind::pinned], 0);
  EXPECT_TRUE(stream_.pending.empty());
}

TEST_F(DirectCommunicator, WaitsForEarlierWorkOfTheStream) {
  const Buffer source = doubles(10, rank_ + 1.0), data = doubles(10, 0.0), all = doubles(10, 0.0);
  gpu_.copy(data.data(), source.data(), source.bytes(), stream_);
  comm_->allreduce(data.data(), all.data(), 10, DType::fp64, ReduceOp::max, stream_);
  EXPECT_EQ(all.as<double>()[9], size_);
  if (size_ < 2) return;
  // Of messages, too.
  const Buffer out = doubles(10, 0.0), in = doubles(10, -1.0);
  gpu_.copy(out.data(), source.data(), source.bytes(), stream_);
  const int next = (rank_ + 1) % size_, previous = (rank_ + size_ - 1) % size_;
  const std::array<Transfer, 2> both = {{{Transfer::Direction::receive, in.data(), 10, previous},
                                         {Transfer::Direction::send, out.data(), 10, next}}};
  comm_->prepare(both, DType::fp64, Mode::blocking, &stream_)->run();
  EXPECT_EQ(in.as<double>()[9], previous + 1.0);
}

TEST_F(DirectCommunicator, RefusesReductionsThatRunOnTheHost) {
  EXPECT_NE(comm_->why_not(DType::fp64, ReduceOp::avg, MemoryKind::device), "");
  EXPECT_NE(comm_->why_not(DType::bf16, ReduceOp::sum, MemoryKind::device), "");
  EXPECT_EQ(comm_->why_not(DType::bf16, ReduceOp::sum, MemoryKind::pageable), "");
  // What only moves 16-bit numbers is fine.
  EXPECT_EQ(
      comm_->why_not({.routine = Routine::allgather, .type = DType::bf16}, MemoryKind::device), "");
}

TEST_F(DirectCommunicator, StaysStagedUnlessAskedAndKnowsNoDeviceMemoryWithoutAGpu) {
  const auto staged = make_mpi_communicator(test::world(), gpu_);
  const Buffer data = doubles(10, 1.0);
  staged->allreduce(data.data(), data.data(), 10, DType::fp64, ReduceOp::sum, stream_);
  EXPECT_GT(gpu_.allocations[MemoryKind::pinned], 0);
  const auto host = device::make_host_device();
  const auto on_host = make_mpi_communicator(test::world(), *host, DeviceMemory::direct);
  EXPECT_NE(on_host->why_not(DType::fp32, ReduceOp::sum, MemoryKind::device), "");
}

TEST_F(DirectCommunicator, WindowsLieInDeviceMemory) {
  if (size_ < 2) GTEST_SKIP() << "needs a peer";
  const auto window = make_mpi_device_window(test::world(), 80, gpu_);
  EXPECT_TRUE(gpu_.is_device_memory(window->local().data()));
  EXPECT_EQ(window->local().size(), 80U);
  const Buffer origin = doubles(10, rank_ + 0.5);
  const int next = (rank_ + 1) % size_, previous = (rank_ + size_ - 1) % size_;
  {
    const auto put = window->prepare({.kind = Access::Kind::put,
                                      .peer = next,
                                      .origin = origin.data(),
                                      .count = 10,
                                      .type = DType::fp64});
    put->run();
    window->publish();
  }
  EXPECT_EQ(reinterpret_cast<const double*>(window->local().data())[9], previous + 0.5);
  EXPECT_NE(window->why_not({.kind = Access::Kind::accumulate, .type = DType::fp64}), "");
}

TEST_F(DirectCommunicator, NoMemoryForAWindowIsFoundOutTogether) {
  class Full final : public test::FakeGpu {
   public:
    explicit Full(bool full) : full_(full) {}
    Buffer allocate(std::size_t bytes, MemoryKind kind, int numa) override {
      if (full_) throw OutOfMemory("there is none");
      return FakeGpu::allocate(bytes, kind, numa);
    }

   private:
    bool full_;
  };
  Full last(rank_ == size_ - 1);
  EXPECT_THROW(make_mpi_device_window(test::world(), 8, last), OutOfMemory);
}

}  // namespace
}  // namespace scalemark::collective
