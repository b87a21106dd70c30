// SPDX-License-Identifier: Apache-2.0
// Memory that is left, read from made-up kernel files with hand-worked results.
#include "common/device/host/free_memory.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "common/device/device.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark::device {
namespace {

TEST(FreeMemory, ReadsMemAvailable) {
  EXPECT_EQ(
      available_in("MemTotal:       24689672 kB\nMemFree: 1 kB\nMemAvailable:   20000000 kB\n"),
      20'480'000'000U);
  EXPECT_EQ(available_in("MemTotal: 24689672 kB\n"), std::nullopt);
  EXPECT_EQ(available_in(""), std::nullopt);
  EXPECT_EQ(available_in("MemAvailable: many kB\n"), std::nullopt);
  EXPECT_EQ(available_in("MemAvailable:"), std::nullopt);
  EXPECT_EQ(available_in("MemAvailable: 99999999999999999999 kB\n"), std::nullopt);
}

/// A made-up /sys/fs/cgroup.
class Cgroups : public ::testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_.path() / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  void version2(const std::string& group, const std::string& limit, const std::string& usage,
                int inactive) {
    const std::string folder = "sys/fs/cgroup/" + group;
    write(folder + "/memory.max", limit + "\n");
    write(folder + "/memory.current", usage + "\n");
    write(folder + "/memory.stat",
          fmt::format("anon 5\nfile 7\ninactive_file {}\nactive_file 3\n", inactive));
  }
  auto leaves(const std::string& cgroup, const std::string& mountinfo) {
    return cgroup_leaves(cgroup, mountinfo, root_.path().string());
  }
  test::TempDir root_;
};

constexpr const char* kUnified =
    "22 1 0:20 / /proc rw,nosuid - proc proc rw\n"
    "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";

TEST_F(Cgroups, LimitMinusUsagePlusReclaimableCache) {
  version2("job", "1000", "700", 300);
  EXPECT_EQ(leaves("0::/job\n", kUnified), 600U);
}

TEST_F(Cgroups, SmallestOfAllLevelsCounts) {
  version2("job", "1000", "900", 0);      // 100 left
  version2("job/step", "800", "300", 0);  // 500 left
  version2("job/step/task", "max", "1", 0);
  EXPECT_EQ(leaves("0::/job/step/task\n", kUnified), 100U);
  EXPECT_EQ(leaves("0::/job/other\n", kUnified), 100U);
}

TEST_F(Cgroups, WithoutLimitsThereIsNothing) {
  version2("job", "max", "700", 300);
  EXPECT_EQ(leaves("0::/job\n", kUnified), std::nullopt);
  EXPECT_EQ(leaves("0::/\n", kUnified), std::nullopt);
  EXPECT_EQ(leaves("0::/job\n", ""), std::nullopt);
  EXPECT_EQ(leaves("", kUnified), std::nullopt);
}

TEST_F(Cgroups, UsageAboveTheLimitLeavesNothing) {
  version2("job", "1000", "1500", 0);
  EXPECT_EQ(leaves("0::/job\n", kUnified), 0U);
}

// Docker with version 1: the mount shows only the container's part of the hierarchy.
TEST_F(Cgroups, Version1InsideAContainer) {
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "5000\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "2500\n");
  write("sys/fs/cgroup/memory/memory.stat", "inactive_file 9999\ntotal_inactive_file 500\n");
  write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "9223372036854771712\n");
  write("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "1\n");
  const std::string mounts =
      "40 30 0:30 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
      "41 30 0:31 /docker/abc /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu,cpuacct\n";
  const std::string processes = "4:memory:/docker/abc/job\n3:cpu,cpuacct:/docker/abc/job\n0::/\n";
  EXPECT_EQ(leaves(processes, mounts), 3000U);
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");  // how "none" reads
  EXPECT_EQ(leaves(processes, mounts), std::nullopt);
}

TEST_F(Cgroups, HostileTextsAreNothing) {
  version2("job", "1000", "700", 300);
  for (const char* cgroup :
       {"0", "0:", "0:memory", "::::", "0::", "\n\n", "0::/../../etc", "4:memory:/job"}) {
    EXPECT_EQ(leaves(cgroup, kUnified), std::nullopt) << cgroup;
  }
  for (const char* mounts :
       {" - ", "1 2 3 - cgroup2 a b", "- cgroup2 cgroup2 rw", "x y z / / - cgroup2"}) {
    EXPECT_EQ(leaves("0::/job\n", mounts), std::nullopt) << mounts;
  }
  version2("bad", "-5", "many", 0);
  EXPECT_EQ(leaves("0::/bad\n", kUnified), std::nullopt);
}

TEST(FreeMemory, OfThisMachineIsPlausible) {
  const std::size_t left = free_host_memory();
  EXPECT_GT(left, std::size_t{1} << 20);
  EXPECT_LT(left, std::size_t{1} << 50);
}

}  // namespace
}  // namespace scalemark::device
