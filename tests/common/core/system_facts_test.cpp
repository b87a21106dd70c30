// SPDX-License-Identifier: Apache-2.0
// Facts of a /proc and a /sys made here.
#include "common/core/environment/system_facts.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "common/core/environment/loaded_libraries.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark {
namespace {

class SystemFactsTest : public testing::Test {
 protected:
  void file(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text << '\n';
  }
  test::TempDir root_;
};

TEST_F(SystemFactsTest, WhatIsNotThereHasItsReason) {
  for (const Facts& facts :
       {system_facts(root_.path()), network_facts(root_.path()), changing_facts(root_.path())}) {
    for (const auto& [fact, value] : facts) {
      if (value.find("/proc") == std::string::npos && value.find("/sys") == std::string::npos)
        continue;
      EXPECT_TRUE(value.starts_with("unavailable: ")) << fact << ": " << value;
      EXPECT_EQ(value.find(root_.path().string()), std::string::npos) << fact;
    }
  }
  EXPECT_EQ(system_facts(root_.path()).at("cpu_microcode"),
            "unavailable: no microcode in /proc/cpuinfo");
}

TEST_F(SystemFactsTest, OfTheKernelsOptionsOnlyThoseThatShapeTiming) {
  file("proc/cmdline",
       "BOOT_IMAGE=/vmlinuz root=UUID=7-7 ip=10.0.0.7 isolcpus=2-7 luks.key=hunter2 nosmt");
  EXPECT_EQ(system_facts(root_.path()).at("kernel_options"), "isolcpus=2-7 nosmt");
}

TEST_F(SystemFactsTest, MitigationsAreSummedUp) {
  const std::string folder = "sys/devices/system/cpu/vulnerabilities/";
  file(folder + "l1tf", "Not affected");
  file(folder + "retbleed", "Mitigation: untrained return thunk; SMT disabled");
  file(folder + "mds", "Vulnerable: Clear CPU buffers attempted, no microcode");
  EXPECT_EQ(system_facts(root_.path()).at("cpu_mitigations"),
            "mitigated: retbleed; vulnerable: mds");
}

TEST_F(SystemFactsTest, BoostOfIntelIsTheOppositeOfNoTurbo) {
  file("sys/devices/system/cpu/intel_pstate/no_turbo", "1");
  EXPECT_EQ(system_facts(root_.path()).at("cpu_boost"), "0");
}

TEST_F(SystemFactsTest, TheTightestControlGroupLimits) {
  file("proc/self/cgroup", "0::/slurm/job7/step0");
  file("sys/fs/cgroup/slurm/job7/step0/cpu.max", "max 100000");
  file("sys/fs/cgroup/slurm/job7/cpu.max", "800000 100000");
  file("sys/fs/cgroup/slurm/cpu.max", "6400000 100000");
  file("sys/fs/cgroup/slurm/job7/step0/memory.max", "max");
  const Facts facts = system_facts(root_.path());
  EXPECT_EQ(facts.at("cgroup_cpu_max"), "800000 100000");
  EXPECT_EQ(facts.at("cgroup_memory_max"), "max");
}

TEST_F(SystemFactsTest, IdleStatesThatAreOffStandInBrackets) {
  const std::string folder = "sys/devices/system/cpu/cpu0/cpuidle/";
  file(folder + "state0/name", "POLL");
  file(folder + "state0/disable", "0");
  file(folder + "state1/name", "C6");
  file(folder + "state1/disable", "1");
  EXPECT_EQ(system_facts(root_.path()).at("cpu_idle_states"), "POLL (C6)");
}

TEST_F(SystemFactsTest, AdaptersAndTheirErrors) {
  const std::string port = "sys/class/infiniband/mlx5_0/ports/1/";
  file("sys/class/infiniband/mlx5_0/hca_type", "MT4129");
  file("sys/class/infiniband/mlx5_0/fw_ver", "28.39.1002");
  file(port + "rate", "400 Gb/sec (4X NDR)");
  file(port + "counters/symbol_error", "3");
  file(port + "counters/link_downed", "1");
  file(port + "hw_counters/local_ack_timeout_err", "7");
  file("sys/class/infiniband/mlx5_0/ports/2/counters/symbol_error", "4");
  file("sys/class/net/eth0/statistics/rx_errors", "5");
  file("sys/class/net/eth0/carrier_down_count", "2");
  file("sys/class/net/lo/speed", "0");
  file("sys/class/net/eth0/device/vendor", "0x1");
  file("sys/class/net/eth0/speed", "25000");
  file("sys/class/net/eth0/mtu", "9000");
  file("sys/class/net/eth0/operstate", "up");
  file("sys/class/net/eth1/device/vendor", "0x1");
  file("sys/class/net/eth1/speed", "-1");
  file("sys/class/net/eth1/mtu", "1500");
  file("sys/class/net/eth1/operstate", "up");
  const Facts facts = network_facts(root_.path());
  EXPECT_EQ(facts.at("nic.mlx5_0"), "MT4129, 28.39.1002, 400 Gb/sec (4X NDR)");
  EXPECT_EQ(facts.at("nic.eth0"), "25000 Mb/s, MTU 9000, up");
  EXPECT_EQ(facts.at("nic.eth1"), "unknown speed, MTU 1500, up");
  EXPECT_FALSE(facts.contains("nic.lo"));
  const Facts changing = changing_facts(root_.path());
  EXPECT_EQ(changing.at("nic_errors.mlx5_0"),
            "symbol_error=3 link_downed=1 local_ack_timeout_err=7");
  EXPECT_EQ(changing.at("nic_errors.mlx5_0/2"), "symbol_error=4");
  EXPECT_EQ(changing.at("nic_errors.eth0"), "rx_errors=5 carrier_down_count=2");
  EXPECT_FALSE(changing.contains("nic_errors.lo"));
}

TEST_F(SystemFactsTest, TheFileSystemIsThatOfTheLongestMountPoint) {
  file("proc/self/mountinfo",
       "21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
       "22 21 0:5 / /nowhere/scratch rw shared:2 master:3 - lustre 10.0.0.1@o2ib:/s rw\n"
       "23 21 0:6 / /nowhere/scratch/my\\040disk rw - nfs4 host:/x rw\n"
       "24 21 0:7 / /nowhere/scratch2 rw - tmpfs none rw");
  EXPECT_EQ(file_system_of("/nowhere/scratch/run/a.h5", root_.path()), "lustre");
  EXPECT_EQ(file_system_of("/nowhere/scratch/my disk/a.h5", root_.path()), "nfs4");
  EXPECT_EQ(file_system_of("/nowhere/scratch3/a.h5", root_.path()), "ext4");
}

TEST(LoadedLibraries, AreNamedWithTheirVersionsAndWithoutPeoplesFolders) {
  const std::vector<std::string> files = loaded_libraries();
  for (const std::string& file : files) {
    EXPECT_TRUE(file.starts_with("/usr/") || file.starts_with("/lib") ||
                file.starts_with("/opt/") || file.starts_with(".../"))
        << file;
  }
  const auto facts = library_facts({"/usr/lib/libmpi.so.40.30.4", "/usr/lib/libmpi_cxx.so.40",
                                    ".../libgomp-a34b3233.so.1", "/usr/lib/libgomp.so.1.0.0",
                                    "/usr/lib/libm.so.6"});
  EXPECT_EQ(facts, (std::map<std::string, std::string>{
                       {"library.mpi", "libmpi.so.40.30.4"},
                       {"library.gomp", "libgomp-a34b3233.so.1, libgomp.so.1.0.0"}}));
  EXPECT_EQ(program_build_id().find_first_not_of("0123456789abcdef"), std::string::npos);
}

}  // namespace
}  // namespace scalemark
