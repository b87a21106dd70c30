// SPDX-License-Identifier: Apache-2.0
// Memory that is got and given back leaves nothing behind: no address space, no locked pages.
#include "common/device/memory_cycle.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/error.hpp"
#include "common/device/host/host_memory.hpp"

namespace scalemark::device {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

/// A line of /proc/self/status in KiB.
std::uint64_t status_kib(const std::string& name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(name + ":", 0) == 0) return std::stoull(line.substr(name.size() + 1));
  }
  ADD_FAILURE() << "no " << name;
  return 0;
}

TEST(MemoryCycle, MappedPagesAreThereAndGoAway) {
  const auto cycle = make_mapping_cycle(16 * kMebibyte + 1, false);
  const std::uint64_t before = status_kib("VmRSS");
  for (int i = 0; i < 3; ++i) {
    cycle->get();
    EXPECT_GE(status_kib("VmRSS"), before + 15 * 1024) << "touched";
    auto* bytes = static_cast<volatile unsigned char*>(cycle->data());
    EXPECT_EQ(bytes[16 * kMebibyte], 0);
    bytes[16 * kMebibyte] = 1;
    cycle->give_back();
    EXPECT_EQ(cycle->data(), nullptr);
    EXPECT_LE(status_kib("VmRSS"), before + 4 * 1024);
  }
  EXPECT_TRUE(cycle->steps().zeroes);
  EXPECT_EQ(cycle->steps().page, static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
}

TEST(MemoryCycle, WhatIsHeldIsGivenBackAtTheEnd) {
  const std::uint64_t before = status_kib("VmRSS");
  {
    const auto cycle = make_mapping_cycle(16 * kMebibyte, false);
    cycle->get();
  }
  EXPECT_LE(status_kib("VmRSS"), before + 4 * 1024);
}

TEST(MemoryCycle, TooMuchIsOutOfMemory) {
  EXPECT_THROW(make_mapping_cycle(std::size_t{1} << 50, false), OutOfMemory);
  EXPECT_THROW(make_locking_cycle(std::size_t{1} << 50), OutOfMemory);
}

TEST(MemoryCycle, HugePagesOrTheReason) {
  const std::string why = why_no_huge_pages();
  try {
    const auto cycle = make_mapping_cycle(1, true);
    EXPECT_EQ(cycle->steps().page, 2 * kMebibyte);
    cycle->get();
    cycle->give_back();
  } catch (const Unavailable& error) {
    EXPECT_EQ(error.what(), why);
    EXPECT_EQ(why, "no 2 MiB huge pages free");
  }
  EXPECT_THROW(make_mapping_cycle(std::size_t{1} << 50, true), Error);
}

TEST(MemoryCycle, LocksAndUnlocks) {
  const std::uint64_t before = status_kib("VmLck");
  try {
    auto cycle = make_locking_cycle(16 * 1024 - 1);
    EXPECT_EQ(status_kib("VmLck"), before) << "not before get()";
    for (int i = 0; i < 2; ++i) {
      cycle->get();
      EXPECT_EQ(status_kib("VmLck"), before + 16);
      cycle->give_back();
      EXPECT_EQ(status_kib("VmLck"), before);
    }
    cycle->get();
    cycle.reset();
    EXPECT_EQ(status_kib("VmLck"), before) << "nothing stays locked";
    EXPECT_FALSE(make_locking_cycle(4096)->steps().zeroes) << "the pages are there before";
  } catch (const Unavailable& error) {  // where the system allows less
    EXPECT_THAT(error.what(),
                HasSubstr("no permission to lock 16 KiB of memory (RLIMIT_MEMLOCK: "));
  }
}

/// In this process, for good.
void lose_the_right_to_lock(std::uint64_t limit) {
  const rlimit memory{limit, limit};
  ASSERT_EQ(setrlimit(RLIMIT_MEMLOCK, &memory), 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  ASSERT_EQ(syscall(SYS_capget, &header, data), 0);
  data[0].effective &= ~(1U << CAP_IPC_LOCK);
  ASSERT_EQ(syscall(SYS_capset, &header, data), 0);
}

std::string reason_under(std::uint64_t limit, std::size_t bytes) {
  lose_the_right_to_lock(limit);
  try {
    make_locking_cycle(bytes);
    return "locked";
  } catch (const Unavailable& error) {
    return error.what();
  }
}

/// Of a child, so that this process keeps its rights.
std::string reason_in_child(std::uint64_t limit, std::size_t bytes) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const std::string text = reason_under(limit, bytes);
    const auto written = write(ends[1], text.data(), text.size());
    _exit(written == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string text(256, '\0');
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(read(ends[0], text.data(), 256), 0)));
  close(ends[0]);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return text;
}

TEST(MemoryCycle, NoRightToLockIsAReason) {
  EXPECT_EQ(reason_in_child(0, 4096),
            "no permission to lock 4 KiB of memory (RLIMIT_MEMLOCK: 0 B)");
  EXPECT_EQ(reason_in_child(64 * 1024, kMebibyte),
            "no permission to lock 1 MiB of memory (RLIMIT_MEMLOCK: 64 KiB)");
  EXPECT_EQ(reason_in_child(64 * 1024, 4096), "locked") << "within the limit";
}

TEST(MemoryCycle, OnlyRightsAreAReason) {
  EXPECT_EQ(why_no_lock(EPERM, RLIM_INFINITY, 4096),
            "no permission to lock 4 KiB of memory (RLIMIT_MEMLOCK: unlimited)");
  EXPECT_EQ(why_no_lock(ENOMEM, RLIM_INFINITY, 4096), "") << "the machine has too little";
  EXPECT_EQ(why_no_lock(EAGAIN, 0, 4096), "");
}

}  // namespace
}  // namespace scalemark::device
