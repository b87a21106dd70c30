// SPDX-License-Identifier: Apache-2.0
// Readings of a node from a /proc and a /sys made here.
#include "common/hardware/sensors/node_sensors.hpp"

#include <fstream>
#include <tuple>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/temp_dir.hpp"

namespace scalemark::hardware {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

class NodeSensorsTest : public testing::Test {
 protected:
  void file(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  std::optional<double> value(const Reading& reading, const std::string& name) const {
    const double* found = reading.find(name);
    return found ? std::optional<double>(*found) : std::nullopt;
  }
  NodeWatch watch(CpuSet cpus, std::vector<int> processes = {}) const {
    return {std::move(cpus), std::move(processes), root_.path()};
  }
  test::TempDir root_;
};

// In ten seconds (1000 ticks of each CPU): CPU 0 busy for 900 ticks, CPU 1 for 500, of which 20
// were interrupts; 100 stolen from CPU 1.
TEST_F(NodeSensorsTest, BusyTimeIsDividedIntoRanksOthersAndStolen) {
  if (sysconf(_SC_CLK_TCK) != 100) GTEST_SKIP() << "the ticks here are those of 100 a second";
  file("proc/stat",
       "cpu  300 0 100 1000 0 0 0 0 0 0\n"
       "cpu0 200 0 50 500 0 0 0 0 0 0\n"
       "cpu1 100 0 50 500 0 0 0 0 0 0\n"
       "procs_running 3\n");
  file("proc/41/stat", "41 (a) b) c) R 1 1 1 0 -1 4194560 9 0 0 0 100 50 7 7 20 0 4 0 1\n");
  NodeSensors sensors(watch({0}, {41}), 5 * kSecond);
  file("proc/stat",
       "cpu  0 0 0 0 0 0 0 0 0 0\n"
       "cpu0 1000 50 100 580 20 0 0 0 0 0\n"
       "cpu1 500 0 130 890 10 10 10 100 0 0\n"
       "procs_running 5\n");
  file("proc/41/stat", "41 (a) b) c) R 1 1 1 0 -1 4194560 9 0 0 0 900 150 7 7 20 0 4 0 1\n");
  const Reading reading = sensors.read(15 * kSecond);
  EXPECT_DOUBLE_EQ(*value(reading, "cpu_busy"), 1400.0 / 2000);
  EXPECT_DOUBLE_EQ(*value(reading, "rank_cpu_busy"), 0.9);
  EXPECT_DOUBLE_EQ(*value(reading, "steal"), 0.05);
  // 14 s of processor time less the 9 that process 41 used, over 10 s.
  EXPECT_DOUBLE_EQ(*value(reading, "other_cpus"), 0.5);
  EXPECT_DOUBLE_EQ(*value(reading, "runnable"), 5);
}

TEST_F(NodeSensorsTest, ClocksAreThoseOfTheRanksCpus) {
  for (const auto& [cpu, kilohertz] : {std::pair(0, 800000), {1, 3000000}, {2, 2000000}}) {
    file("sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq/scaling_cur_freq",
         std::to_string(kilohertz) + "\n");
  }
  file("proc/cpuinfo", "processor : 1\ncpu MHz : 1.5\n");
  const Reading reading = NodeSensors(watch({1, 2}), 1).read(2);
  EXPECT_DOUBLE_EQ(*value(reading, "core_clock"), 2.5e9);
  EXPECT_DOUBLE_EQ(*value(reading, "core_clock_min"), 2e9);
}

TEST_F(NodeSensorsTest, WithoutCpufreqTheClocksAreThoseOfCpuinfo) {
  file("proc/cpuinfo",
       "processor\t: 0\nmodel name\t: X\ncpu MHz\t\t: 1000.000\n\n"
       "processor\t: 1\ncpu MHz\t\t: 2596.124\n\n");
  const Reading reading = NodeSensors(watch({1}), 1).read(2);
  EXPECT_DOUBLE_EQ(*value(reading, "core_clock"), 2.596124e9);
}

TEST_F(NodeSensorsTest, HeatPowerAndMemory) {
  file("proc/meminfo", "MemTotal:       100 kB\nMemAvailable:   50 kB\n");
  file("proc/loadavg", "1.25 0.5 0.1 2/345 678\n");
  file("sys/class/thermal/thermal_zone0/type", "acpitz\n");
  file("sys/class/thermal/thermal_zone0/temp", "99000\n");
  file("sys/class/thermal/thermal_zone1/type", "x86_pkg_temp\n");
  file("sys/class/thermal/thermal_zone1/temp", "71500\n");
  file("sys/class/powercap/intel-rapl:0/name", "package-0\n");
  file("sys/class/powercap/intel-rapl:0/max_energy_range_uj", "1000000000\n");
  file("sys/class/powercap/intel-rapl:0/energy_uj", "1000000\n");
  const std::string throttle = "sys/devices/system/cpu/cpu3/thermal_throttle/";
  file(throttle + "core_throttle_count", "5\n");
  file(throttle + "package_throttle_count", "2\n");
  NodeSensors sensors(watch({3}), 1 * kSecond);
  file("sys/class/powercap/intel-rapl:0/energy_uj", "401000000\n");
  file(throttle + "package_throttle_count", "6\n");
  const Reading reading = sensors.read(3 * kSecond);
  EXPECT_DOUBLE_EQ(*value(reading, "free_memory"), 51200);
  EXPECT_DOUBLE_EQ(*value(reading, "load"), 1.25);
  EXPECT_DOUBLE_EQ(*value(reading, "temperature"), 71.5);
  EXPECT_DOUBLE_EQ(*value(reading, "package_power"), 200);
  EXPECT_DOUBLE_EQ(*value(reading, "throttle_events"), 4);
}

// Of two chips the hotter one, and neither the disk nor a zone of something else.
TEST_F(NodeSensorsTest, WithoutThermalZonesOfCpusTheChipsTellTheTemperature) {
  file("sys/class/thermal/thermal_zone0/type", "acpitz\n");
  file("sys/class/thermal/thermal_zone0/temp", "99000\n");
  for (const auto& [number, name, temperature] :
       {std::tuple("0", "nvme", "88000"), {"1", "k10temp", "61250"}, {"2", "k10temp", "64500"}}) {
    file(std::string("sys/class/hwmon/hwmon") + number + "/name", name + std::string("\n"));
    file(std::string("sys/class/hwmon/hwmon") + number + "/temp1_input", temperature);
  }
  const Reading reading = NodeSensors(watch({0}), 1).read(2);
  EXPECT_DOUBLE_EQ(value(reading, "temperature").value_or(0), 64.5);
}

TEST_F(NodeSensorsTest, WhatCannotBeReadIsLeftOut) {
  file("proc/stat", "cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\n");
  file("proc/loadavg", "no number\n");
  EXPECT_TRUE(NodeSensors(watch({0, 900}, {41}), 1).read(2 * kSecond).quantities.empty());
}

TEST(NodeSensors, ThisMachineTellsItsFreeMemory) {
  NodeSensors sensors({}, 1);
  const Reading reading = sensors.read(2);
  ASSERT_NE(reading.find("free_memory"), nullptr);
  EXPECT_GT(*reading.find("free_memory"), 1e6);
}

}  // namespace
}  // namespace scalemark::hardware
