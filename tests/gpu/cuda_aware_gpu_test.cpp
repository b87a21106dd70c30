// SPDX-License-Identifier: Apache-2.0
// The probe on real device memory, and a message there and back that MPI gets as it is. Skipped
// where the MPI library says that it takes none; where it says so wrongly, this test crashes.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/collective/communicator.hpp"
#include "common/collective/device_probe.hpp"
#include "common/mpi/cuda_support.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark::collective {
namespace {

using device::Buffer;
using device::MemoryKind;
using ::testing::Each;

class CudaAwareMpi : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    const int count = device::cuda_device_count(&why);
    const bool takes = mpi::cuda_support() == mpi::CudaSupport::yes;
    if (test::world().min(count) == 0) GTEST_SKIP() << (why.empty() ? "a rank has no GPU" : why);
    if (test::world().min(takes ? 1 : 0) == 0) GTEST_SKIP() << "this MPI takes no device memory";
    // Ranks may share a GPU: that is no matter to MPI.
    gpu_ = device::make_cuda_device(test::world().split_node().rank() % count);
    stream_ = gpu_->make_stream();
  }
  Buffer upload(const std::vector<std::int32_t>& values) {
    Buffer buffer = gpu_->allocate(values.size() * sizeof(std::int32_t), MemoryKind::device);
    gpu_->copy(buffer.data(), values.data(), buffer.bytes(), *stream_);
    stream_->synchronize();
    return buffer;
  }
  std::unique_ptr<device::Device> gpu_;
  std::unique_ptr<device::Stream> stream_;
};

TEST_F(CudaAwareMpi, PingPongWithoutStaging) {
  const auto comm = make_mpi_communicator(test::world(), *gpu_, DeviceMemory::direct);
  if (comm->rank() > 1) return;
  const int peer = 1 - comm->rank();
  for (const std::size_t count : {std::size_t{1}, std::size_t{1001}, std::size_t{1} << 20}) {
    const Buffer out = upload(std::vector<std::int32_t>(count, 10 + comm->rank()));
    const Buffer in = upload(std::vector<std::int32_t>(count, -1));
    if (comm->rank() == 0) comm->send(out.data(), count, DType::int32, peer, *stream_);
    comm->recv(in.data(), count, DType::int32, peer, *stream_);
    if (comm->rank() == 1) comm->send(out.data(), count, DType::int32, peer, *stream_);
    std::vector<std::int32_t> received(count);
    gpu_->copy(received.data(), in.data(), in.bytes(), *stream_);
    stream_->synchronize();
    EXPECT_THAT(received, Each(10 + peer));
  }
}

TEST_F(CudaAwareMpi, TheProbeFindsMessagesAndCollectivesRight) {
  for (const DeviceUse use : {DeviceUse::messages, DeviceUse::collectives}) {
    const ProbeResult result = probe_device_memory(use, test::world(), *gpu_, *stream_);
    EXPECT_EQ(result.wrong, 0U) << result.first_wrong;
    EXPECT_GT(result.checked, 0U);
  }
}

}  // namespace
}  // namespace scalemark::collective
