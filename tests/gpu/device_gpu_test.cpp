// SPDX-License-Identifier: Apache-2.0
// One GPU: all kinds of memory, copies between them, streams, events, running out of memory.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/device/device.hpp"
#include "common/device/peer_access.hpp"

namespace scalemark::device {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr MemoryKind kKinds[] = {MemoryKind::pageable,   MemoryKind::pinned,
                                 MemoryKind::registered, MemoryKind::write_combined,
                                 MemoryKind::managed,    MemoryKind::huge_pages,
                                 MemoryKind::device};

class CudaDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (cuda_device_count(&why) == 0) GTEST_SKIP() << why;
    gpu_ = make_cuda_device(0);
    stream_ = gpu_->make_stream();
  }
  std::unique_ptr<Device> gpu_;
  std::unique_ptr<Stream> stream_;
};

TEST_F(CudaDevice, SaysWhatItIs) {
  EXPECT_EQ(gpu_->kind(), DeviceKind::cuda);
  EXPECT_EQ(gpu_->index(), 0);
  EXPECT_FALSE(gpu_->name().empty());
  EXPECT_THAT(gpu_->uuid(),
              ::testing::MatchesRegex("GPU-[0-9a-f]+-[0-9a-f]+-[0-9a-f]+-[0-9a-f]+-[0-9a-f]+"));
  EXPECT_EQ(gpu_->uuid().size(), 40U);
  EXPECT_THAT(gpu_->pci_bus_id(),
              ::testing::MatchesRegex("[0-9a-f]+:[0-9a-f]+:[0-9a-f]+\\.[0-9a-f]"));
  EXPECT_NE(stream_->native(), nullptr);
  EXPECT_THAT(cuda_versions(), ::testing::HasSubstr("driver"));
}

TEST_F(CudaDevice, DevicesThatAreNotThereAreRefused) {
  EXPECT_THROW(make_cuda_device(cuda_device_count()), Unavailable);
  EXPECT_THROW(make_cuda_device(-1), Unavailable);
}

// Every pair of kinds, there and back through another buffer.
TEST_F(CudaDevice, CopiesBetweenAllKinds) {
  const std::size_t bytes = 3 * kMiB + 17;
  const auto host = make_host_device();
  const Buffer source = host->allocate(bytes, MemoryKind::pageable),
               result = host->allocate(bytes, MemoryKind::pageable);
  auto* expected = source.as<unsigned char>();
  for (std::size_t i = 0; i < bytes; ++i) expected[i] = static_cast<unsigned char>(i * 131 % 253);
  for (const MemoryKind from : kKinds) {
    for (const MemoryKind to : kKinds) {
      if (!gpu_->why_not(from).empty() || !gpu_->why_not(to).empty()) continue;
      SCOPED_TRACE(fmt::format("{} to {}", to_string(from), to_string(to)));
      const Buffer a = gpu_->allocate(bytes, from), b = gpu_->allocate(bytes, to);
      EXPECT_EQ(a.kind(), from);
      EXPECT_EQ(a.on_host(), from != MemoryKind::device);
      EXPECT_EQ(gpu_->is_device_memory(a.data()), from == MemoryKind::device);
      gpu_->copy(a.data(), source.data(), bytes, *stream_);
      gpu_->copy(b.data(), a.data(), bytes, *stream_);
      gpu_->copy(result.data(), b.data(), bytes, *stream_);
      stream_->synchronize();
      EXPECT_TRUE(std::equal(expected, expected + bytes, result.as<unsigned char>()));
      std::fill_n(result.as<unsigned char>(), bytes, std::uint8_t{0});
    }
  }
}

TEST_F(CudaDevice, MemoryIsZero) {
  const auto host = make_host_device();
  for (const MemoryKind kind : kKinds) {
    if (!gpu_->why_not(kind).empty()) continue;
    const Buffer buffer = gpu_->allocate(kMiB, kind),
                 copy = host->allocate(kMiB, MemoryKind::pageable);
    std::fill_n(copy.as<unsigned char>(), kMiB, std::uint8_t{1});
    gpu_->copy(copy.data(), buffer.data(), kMiB, *stream_);
    stream_->synchronize();
    const auto* bytes = copy.as<unsigned char>();
    EXPECT_TRUE(std::all_of(bytes, bytes + kMiB, [](unsigned char c) { return c == 0; }))
        << to_string(kind);
  }
}

TEST_F(CudaDevice, PinnedMemoryOnANode) {
  try {
    EXPECT_EQ(gpu_->allocate(kMiB, MemoryKind::pinned, 0).bytes(), kMiB);
  } catch (const Unavailable& error) {  // containers may forbid the choice
    EXPECT_THAT(error.what(), ::testing::HasSubstr("memory on NUMA node 0: "));
  }
  EXPECT_THROW(gpu_->allocate(kMiB, MemoryKind::pinned, 1023), Unavailable);
}

TEST_F(CudaDevice, TooMuchIsOutOfMemoryAndTheDeviceGoesOn) {
  EXPECT_THROW(gpu_->allocate(std::size_t{1} << 50, MemoryKind::device), OutOfMemory);
  EXPECT_THROW(gpu_->allocate(std::size_t{1} << 50, MemoryKind::pinned), OutOfMemory);
  EXPECT_EQ(gpu_->allocate(kMiB, MemoryKind::device).bytes(), kMiB);
  gpu_->synchronize();
}

TEST_F(CudaDevice, FreeMemoryFollowsAllocation) {
  const std::size_t before = gpu_->free_memory();
  {
    const Buffer buffer = gpu_->allocate(256 * kMiB, MemoryKind::device);
    EXPECT_LE(gpu_->free_memory(), before - 200 * kMiB);
  }
  EXPECT_GE(gpu_->free_memory() + 64 * kMiB, before);
}

// MPI's library or NCCL may have enabled it in this process.
TEST_F(CudaDevice, AccessThatIsThereAlreadyStays) {
  if (cuda_device_count() < 2) GTEST_SKIP() << "needs two GPUs";
  const auto peer = make_cuda_device(1);
  if (!can_access_peer(*gpu_, *peer)) GTEST_SKIP() << "the GPUs do not reach each other";
  const auto first = enable_peer_access(*gpu_, *peer);
  { const auto second = enable_peer_access(*gpu_, *peer); }
  const Buffer there = peer->allocate(kMiB, MemoryKind::device),
               here = gpu_->allocate(kMiB, MemoryKind::device);
  gpu_->copy_by_kernel(here.data(), there.data(), kMiB, *stream_);
  stream_->synchronize();
}

TEST_F(CudaDevice, EventsTimeACopy) {
  const std::size_t bytes = 256 * kMiB;
  const Buffer host = gpu_->allocate(bytes, MemoryKind::pinned),
               device = gpu_->allocate(bytes, MemoryKind::device);
  const auto start = gpu_->make_event(), end = gpu_->make_event();
  start->record(*stream_);
  gpu_->copy(device.data(), host.data(), bytes, *stream_);
  end->record(*stream_);
  end->synchronize();
  const double seconds = end->seconds_since(*start);
  EXPECT_GT(seconds, 1e-5);  // 25 TB/s
  EXPECT_LT(seconds, 10.0);
}

}  // namespace
}  // namespace scalemark::device
