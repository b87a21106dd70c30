// SPDX-License-Identifier: Apache-2.0
// Staging of device memory, on a device made up of host memory that says which blocks the host may
// not see.
#include "common/collective/staging.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark::collective {
namespace {

using device::Buffer;
using device::MemoryKind;

/// Copies wait in a stream until it is synchronised, as on a GPU: whoever forgets to synchronise
/// sees old data.
class LazyStream final : public device::Stream {
 public:
  struct Copy {
    void* to;
    const void* from;
    std::size_t bytes;
  };
  void synchronize() override {
    for (const Copy& copy : pending) std::memcpy(copy.to, copy.from, copy.bytes);
    pending.clear();
  }
  void* native() const override { return nullptr; }
  std::vector<Copy> pending;
};

class FakeGpu final : public device::Device {
 public:
  device::DeviceKind kind() const override { return device::DeviceKind::cuda; }
  int index() const override { return 0; }
  std::string name() const override { return "fake"; }
  std::string uuid() const override { return "GPU-fake"; }
  std::string pci_bus_id() const override { return {}; }
  std::string why_not(MemoryKind) const override { return {}; }
  bool is_device_memory(const void* data) const override {
    for (const auto& [begin, end] : blocks_) {
      if (data >= begin && data < end) return true;
    }
    return false;
  }
  Buffer allocate(std::size_t bytes, MemoryKind kind, int) override {
    auto* data = new char[bytes]();
    if (kind == MemoryKind::device) blocks_.emplace(data, data + bytes);
    return {data, bytes, kind, [this, data, bytes](void*) {
              blocks_.erase({data, data + bytes});
              delete[] data;
            }};
  }
  std::size_t free_memory() const override { return 0; }
  std::unique_ptr<device::Stream> make_stream() override { return std::make_unique<LazyStream>(); }
  std::unique_ptr<device::Event> make_event() override { throw Unavailable("not needed here"); }
  void copy(void* to, const void* from, std::size_t bytes, device::Stream& stream) override {
    dynamic_cast<LazyStream&>(stream).pending.push_back({to, from, bytes});
  }
  void synchronize() override {}

 private:
  std::set<std::pair<const void*, const void*>> blocks_;
};

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
