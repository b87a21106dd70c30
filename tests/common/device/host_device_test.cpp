// SPDX-License-Identifier: Apache-2.0
// The host as a device: memory, copies, events, and what it refuses.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/error.hpp"
#include "common/base/numa_page.hpp"
#include "common/device/device.hpp"
#include "common/device/host/host_memory.hpp"

namespace scalemark::device {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

bool resident(const Buffer& buffer) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages((buffer.bytes() + page - 1) / page);
  if (mincore(buffer.data(), buffer.bytes(), pages.data()) != 0) return false;
  return std::all_of(pages.begin(), pages.end(), [](unsigned char p) { return (p & 1) != 0; });
}

/// Address space of this process in bytes.
std::uint64_t address_space() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

TEST(HostDevice, SaysWhatItIs) {
  const auto host = make_host_device();
  EXPECT_EQ(host->kind(), DeviceKind::cpu);
  EXPECT_EQ(to_string(host->kind()), "cpu");
  EXPECT_EQ(host->index(), 0);
  EXPECT_EQ(host->uuid(), "");
  EXPECT_EQ(host->make_stream()->native(), nullptr);
}

TEST(HostDevice, PageableMemoryIsAlignedZeroedAndTouched) {
  const auto host = make_host_device();
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4096}, 3 * kMiB + 1}) {
    const Buffer buffer = host->allocate(bytes, MemoryKind::pageable);
    EXPECT_EQ(buffer.bytes(), bytes);
    EXPECT_EQ(buffer.kind(), MemoryKind::pageable);
    EXPECT_TRUE(buffer.on_host());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 4096, 0U);
    EXPECT_TRUE(resident(buffer));
    const auto* data = buffer.as<unsigned char>();
    EXPECT_TRUE(std::all_of(data, data + bytes, [](unsigned char c) { return c == 0; }));
    EXPECT_FALSE(host->is_device_memory(data));
  }
}

TEST(HostDevice, NoBytesAreABufferToo) {
  const auto host = make_host_device();
  const Buffer buffer = host->allocate(0, MemoryKind::pageable);
  EXPECT_NE(buffer.data(), nullptr);
  EXPECT_EQ(buffer.bytes(), 0U);
}

TEST(HostDevice, GivesMemoryBack) {
  const auto host = make_host_device();
  const std::uint64_t before = address_space();
  for (int i = 0; i < 20; ++i) host->allocate(64 * kMiB, MemoryKind::pageable);
  EXPECT_LT(address_space(), before + 64 * kMiB);
}

TEST(HostDevice, KindsOfADeviceNeedADevice) {
  const auto host = make_host_device();
  EXPECT_EQ(host->why_not(MemoryKind::pageable), "");
  for (const MemoryKind kind :
       {MemoryKind::pinned, MemoryKind::registered, MemoryKind::write_combined, MemoryKind::managed,
        MemoryKind::device}) {
    const std::string expected = fmt::format("{} memory needs a CUDA device", to_string(kind));
    EXPECT_EQ(host->why_not(kind), expected);
    EXPECT_THROW(host->allocate(4096, kind), Unavailable) << expected;
  }
}

// Either the machine has huge pages free and gives them, or it says why not; never something else
// instead.
TEST(HostDevice, HugePagesAreThereOrTheReasonIs) {
  const auto host = make_host_device();
  std::size_t free_pages = 0;
  std::ifstream("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages") >> free_pages;
  if (free_pages == 0) {
    EXPECT_EQ(host->why_not(MemoryKind::huge_pages), "no 2 MiB huge pages free");
    EXPECT_THROW(host->allocate(1, MemoryKind::huge_pages), Unavailable);
    EXPECT_THROW(allocate_host(1, MemoryKind::huge_pages, -1), OutOfMemory);
  } else {
    EXPECT_EQ(host->why_not(MemoryKind::huge_pages), "");
    const Buffer buffer = host->allocate(1, MemoryKind::huge_pages);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % (2 * kMiB), 0U);
    EXPECT_THROW(host->allocate((free_pages + 1) * 2 * kMiB, MemoryKind::huge_pages), OutOfMemory);
  }
}

TEST(HostDevice, MemoryOnANodeThatIsNotThereIsRefused) {
  const auto host = make_host_device();
  for (const int node : {1023, 1024, std::numeric_limits<int>::max()}) {
    EXPECT_THROW(host->allocate(4096, MemoryKind::pageable, node), Unavailable) << node;
    EXPECT_THROW(PreferNode{node}, Unavailable) << node;
  }
}

TEST(HostDevice, KnowsTheNodeOfATouchedPage) {
  const Buffer buffer = make_host_device()->allocate(1 << 20, MemoryKind::pageable, 0);
  const int node = numa_node_of_page(buffer.data());
  if (node < 0) GTEST_SKIP() << "this kernel does not tell";
  EXPECT_EQ(node, 0);
  EXPECT_EQ(numa_node_of_page(nullptr), -1);
}

// numa_maps of the kernel says which policy a mapping has. Containers may forbid the call: then the
// refusal must say so.
TEST(HostDevice, MemoryGoesToTheChosenNode) {
  const auto host = make_host_device();
  try {
    const Buffer buffer = host->allocate(kMiB, MemoryKind::pageable, 0);
    std::ifstream maps("/proc/self/numa_maps");
    if (!maps) GTEST_SKIP() << "this kernel has no /proc/self/numa_maps";
    const std::string address =
        fmt::format("{:x} prefer", reinterpret_cast<std::uintptr_t>(buffer.data()));
    std::string line, found;
    while (std::getline(maps, line)) {
      if (line.rfind(address, 0) == 0) found = line;
    }
    EXPECT_THAT(found, ::testing::HasSubstr(":0"));
    const PreferNode guard(0);
  } catch (const Unavailable& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("memory on NUMA node 0: "));
  }
}

TEST(HostDevice, TooMuchIsOutOfMemoryAndNotAKill) {
  const auto host = make_host_device();
  EXPECT_THROW(host->allocate(std::size_t{1} << 50, MemoryKind::pageable), OutOfMemory);
  EXPECT_THROW(host->allocate(std::numeric_limits<std::size_t>::max(), MemoryKind::pageable),
               OutOfMemory);
  EXPECT_THROW(host->allocate(std::numeric_limits<std::size_t>::max(), MemoryKind::huge_pages),
               Error);
}

// The limit is set in a child, since it cannot be raised again.
TEST(HostDevice, AddressSpaceLimitIsOutOfMemory) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto host = make_host_device();
    const std::uint64_t limit = address_space() + 64 * kMiB;
    const rlimit new_limit{limit, limit};
    if (setrlimit(RLIMIT_AS, &new_limit) != 0) _exit(10);
    if (free_host_memory() > 64 * kMiB) _exit(11);
    try {
      host->allocate(256 * kMiB, MemoryKind::pageable);
      _exit(12);
    } catch (const OutOfMemory&) {
    }
    try {
      const Buffer fits = host->allocate(16 * kMiB, MemoryKind::pageable);
      _exit(fits.bytes() == 16 * kMiB ? 0 : 13);
    } catch (...) {
      _exit(14);
    }
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(HostDevice, CopiesAtOnce) {
  const auto host = make_host_device();
  const auto stream = host->make_stream();
  const Buffer from = host->allocate(10'001, MemoryKind::pageable),
               to = host->allocate(10'001, MemoryKind::pageable);
  for (std::size_t i = 0; i < from.bytes(); ++i)
    from.as<unsigned char>()[i] = static_cast<unsigned char>(i * 31 % 251);
  host->copy(to.data(), from.data(), 10'000, *stream);
  EXPECT_TRUE(std::equal(from.as<char>(), from.as<char>() + 10'000, to.as<char>()));
  EXPECT_EQ(to.as<char>()[10'000], 0);
}

TEST(HostDevice, EventsMeasureSeconds) {
  const auto host = make_host_device();
  const auto stream = host->make_stream();
  const auto start = host->make_event(), end = host->make_event();
  start->record(*stream);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  end->record(*stream);
  end->synchronize();
  EXPECT_GE(end->seconds_since(*start), 0.02);
  EXPECT_LE(start->seconds_since(*end), -0.02);
}

TEST(CudaDevice, WithoutOneThereIsAReason) {
  std::string why;
  if (cuda_device_count(&why) > 0) GTEST_SKIP() << "this machine has a CUDA device";
  EXPECT_NE(why, "");
  EXPECT_EQ(cuda_device_count(), 0);
  try {
    make_cuda_device(0);
    FAIL() << "a device out of nothing";
  } catch (const Unavailable& error) {
    EXPECT_EQ(error.what(), why);
  }
}

}  // namespace
}  // namespace scalemark::device
