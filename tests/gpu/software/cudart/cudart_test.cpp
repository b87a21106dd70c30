// SPDX-License-Identifier: Apache-2.0
// The software GPU keeps CUDA's rules: what the host may touch, what waits, how streams are
// ordered.
#include <chrono>
#include <csignal>
#include <vector>

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include "common/device/cuda/kernels.hpp"
#include "tests/gpu/software/cudart/test_support.hpp"

namespace scalemark::software_gpu {
namespace {

using Cudart = OnSoftwareGpu;

TEST_F(Cudart, AHostReadOfDeviceMemoryCrashes) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const DeviceBytes bytes(100);
  EXPECT_EXIT(static_cast<void>(*static_cast<volatile char*>(bytes.data())),
              ::testing::KilledBySignal(SIGSEGV), "");
}

TEST_F(Cudart, FreedMemoryIsRefused) {
  void* data = nullptr;
  ASSERT_EQ(cudaMalloc(&data, 100), cudaSuccess);
  ASSERT_EQ(cudaFree(data), cudaSuccess);
  EXPECT_EQ(cudaMemsetAsync(data, 0, 100, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(data), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_STREQ(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument");
}

TEST_F(Cudart, ACopyBehindTheEndOfABlockIsRefused) {
  const DeviceBytes bytes(100);
  const PinnedBytes host(200);
  EXPECT_EQ(cudaMemcpyAsync(bytes.data(), host.data(), 101, cudaMemcpyDefault, nullptr),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyAsync(bytes.data(), host.data(), 100, cudaMemcpyDefault, nullptr),
            cudaSuccess);
}

TEST_F(Cudart, MemoryIsCounted) {
  std::size_t before = 0, during = 0, after = 0, total = 0;
  cudaMemGetInfo(&before, &total);
  {
    const DeviceBytes bytes(std::size_t{64} << 20);
    cudaMemGetInfo(&during, &total);
  }
  cudaMemGetInfo(&after, &total);
  EXPECT_EQ(before - during, std::size_t{64} << 20);
  EXPECT_EQ(after, before);
  void* data = nullptr;
  EXPECT_EQ(cudaMalloc(&data, total + 1), cudaErrorMemoryAllocation);
}

// Behind a kernel that nobody releases, a call that waits returns only when the kernel gave up.
TEST_F(Cudart, WhichCopiesWait) {
  constexpr std::size_t kSmall = 4096, kLarge = std::size_t{1} << 20;
  const StreamOf stream(cudaStreamNonBlocking);
  const DeviceBytes device(kLarge), other(kLarge);
  const PinnedBytes pinned(kLarge), second(kLarge);
  std::vector<char> pageable(kLarge, 'a');
  const auto waits = [&](void* to, const void* from, std::size_t bytes) {
    Blocker blocker(stream, std::chrono::milliseconds(150));
    EXPECT_EQ(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), cudaSuccess);
    return blocker.gave_up();
  };
  EXPECT_FALSE(waits(device.data(), pinned.data(), kLarge)) << "pinned to device";
  EXPECT_FALSE(waits(pinned.data(), device.data(), kLarge)) << "device to pinned";
  EXPECT_FALSE(waits(other.data(), device.data(), kLarge)) << "device to device";
  EXPECT_FALSE(waits(device.data(), pageable.data(), kSmall)) << "small pageable to device";
  EXPECT_TRUE(waits(device.data(), pageable.data(), kLarge)) << "large pageable to device";
  EXPECT_TRUE(waits(pageable.data(), device.data(), kSmall)) << "device to pageable";
  EXPECT_TRUE(waits(second.data(), pinned.data(), kSmall)) << "host to host";
}

TEST_F(Cudart, AStagedCopyMayBeOverwrittenAtOnce) {
  const StreamOf stream(cudaStreamNonBlocking);
  const DeviceBytes device(1);
  char from = 'a', to = 0;
  Blocker blocker(stream);
  ASSERT_EQ(cudaMemcpyAsync(device.data(), &from, 1, cudaMemcpyHostToDevice, stream), cudaSuccess);
  from = 'b';
  blocker.release();
  ASSERT_EQ(cudaMemcpyAsync(&to, device.data(), 1, cudaMemcpyDeviceToHost, stream), cudaSuccess);
  EXPECT_EQ(to, 'a');
}

TEST_F(Cudart, TheLegacyStreamWaitsForBlockingStreamsOnly) {
  const StreamOf blocking(cudaStreamDefault), other(cudaStreamDefault), free(cudaStreamNonBlocking);
  const DeviceBytes bytes(1);
  {
    Blocker blocker(blocking);
    cudaMemsetAsync(bytes.data(), 0, 1, nullptr);
    cudaMemsetAsync(bytes.data(), 0, 1, other);
    cudaMemsetAsync(bytes.data(), 0, 1, free);
    EXPECT_EQ(cudaStreamSynchronize(free), cudaSuccess);
    EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
    EXPECT_EQ(cudaStreamQuery(other), cudaErrorNotReady) << "it comes behind the legacy stream";
    EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "not ready is no error";
  }
  EXPECT_EQ(cudaStreamSynchronize(other), cudaSuccess);
  Blocker blocker(free);
  cudaMemsetAsync(bytes.data(), 0, 1, nullptr);
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_FALSE(blocker.gave_up());
}

TEST_F(Cudart, EventsHoldOtherStreamsBack) {
  const StreamOf first(cudaStreamNonBlocking), second(cudaStreamNonBlocking);
  const EventOf reached, timed;
  Blocker blocker(first);
  cudaEventRecord(reached, first);
  cudaStreamWaitEvent(second, reached, 0);
  cudaEventRecord(timed, second);
  float milliseconds = -1;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, reached, timed), cudaErrorNotReady);
  EXPECT_EQ(cudaStreamQuery(second), cudaErrorNotReady);
  blocker.release();
  EXPECT_EQ(cudaEventSynchronize(timed), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, reached, timed), cudaSuccess);
  EXPECT_GE(milliseconds, 0);
}

TEST_F(Cudart, AFullLaunchQueueBlocksTheHost) {
  const StreamOf stream(cudaStreamNonBlocking);
  device::kernels::nothing(stream);  // its first launch waits until it is loaded
  Blocker blocker(stream, std::chrono::milliseconds(300));
  for (int i = 0; i < 1000; ++i) device::kernels::nothing(stream);
  EXPECT_FALSE(blocker.gave_up());
  for (int i = 0; i < 100; ++i) device::kernels::nothing(stream);
  EXPECT_TRUE(blocker.gave_up());
}

TEST_F(Cudart, ADestroyedStreamEndsItsWork) {
  const PinnedBytes to(1);
  const DeviceBytes from(1);
  cudaMemset(from.data(), 'x', 1);
  cudaDeviceSynchronize();
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  {
    const Blocker blocker(stream);
    cudaMemcpyAsync(to.data(), from.data(), 1, cudaMemcpyDefault, stream);
    EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
  }
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(*static_cast<char*>(to.data()), 'x');
}

TEST_F(Cudart, DevicesAreKeptApart) {
  int count = 0;
  ASSERT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  ASSERT_EQ(count, 2);
  const StreamOf first(cudaStreamNonBlocking);
  const DeviceBytes bytes(16);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(device::kernels::nothing(first), cudaErrorInvalidResourceHandle);
  const EventOf of_second;
  EXPECT_EQ(cudaEventRecord(of_second, first), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
  // A kernel of the second device cannot reach the first one's memory: that device breaks down.
  const DeviceBytes own(16);
  const StreamOf second(cudaStreamNonBlocking);
  EXPECT_EQ(device::kernels::copy(own.data(), bytes.data(), 16, 1, second), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(second), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress) << "for good";
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << "the first one goes on";
}

}  // namespace
}  // namespace scalemark::software_gpu
