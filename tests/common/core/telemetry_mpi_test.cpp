// SPDX-License-Identifier: Apache-2.0
// Telemetry of cases on nodes and GPUs made here: when it reads, what it flags, what it leaves.
#include <cmath>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/clock.hpp"
#include "common/core/telemetry.hpp"
#include "tests/support/mpi_main.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

using test::world;

class TelemetryTest : public testing::Test {
 protected:
  void clock(int megahertz) const {
    write("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", megahertz * 1000);
  }
  void throttle(int events) const {
    write("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", events);
  }
  void write(const std::string& path, int value) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << value << '\n';
  }
  /// Reads whenever it is asked.
  TelemetryOptions always() const {
    return {.seconds = 1e-9, .rarer = 0, .root = root_.path(), .nvml = SCALEMARK_FAKE_NVML};
  }
  /// Of a rank that reads its node.
  TelemetryDuties node() const {
    return {.host = "node" + std::to_string(world().rank()),
            .node = hardware::NodeWatch{.cpus = {0}, .processes = {}, .root = {}},
            .gpu = ""};
  }
  static CaseResult thirty_iterations() {
    CaseResult result;
    Metric metric;
    metric.name = "time";
    metric.samples.iterations = 30;
    result.metrics = {metric};
    metric.name = "first_call";
    result.metrics.push_back(metric);
    return result;
  }
  static const Column& column(const Table& table, const std::string& name) {
    for (const Column& one : table.columns) {
      if (one.name == name) return one;
    }
    throw std::runtime_error("no column " + name);
  }
  static const std::vector<double>& numbers(const Table& table, const std::string& name) {
    return std::get<std::vector<double>>(column(table, name).values);
  }
  static const std::vector<std::string>& texts(const Table& table, const std::string& name) {
    return std::get<std::vector<std::string>>(column(table, name).values);
  }
  test::TempDir root_;
};

TEST_F(TelemetryTest, FlagsIterationsBetweenReadingsThatSawACause) {
  clock(3000);
  throttle(7);
  TelemetryDuties duties = node();
  if (world().rank() != 0) duties.node.reset();
  Telemetry telemetry(always(), duties, now_ns());
  telemetry.begin_case();
  telemetry.begin_samples();
  telemetry.between_samples(10);
  clock(2800);
  telemetry.between_samples(16);
  clock(2700);  // 3.6 % less
  telemetry.between_samples(20);
  throttle(8);
  telemetry.end_samples("time", 30);
  CaseResult result = thirty_iterations();
  telemetry.end_case(world(), result);
  if (world().rank() != 0) {
    EXPECT_TRUE(result.tables.empty());
    return;
  }
  std::vector<std::uint16_t> expected(30, 0);
  std::fill(expected.begin() + 10, expected.begin() + 16, kClockChanged);
  std::fill(expected.begin() + 20, expected.end(), kThrottled);
  EXPECT_THAT(result.metrics[0].samples.flags, ElementsAreArray(expected));
  EXPECT_TRUE(result.metrics[1].samples.flags.empty());
  const Table& table = result.tables.at("telemetry/node");
  EXPECT_THAT(numbers(table, "core_clock"), ElementsAre(3e9, 3e9, 3e9, 2.8e9, 2.7e9, 2.7e9, 2.7e9));
  EXPECT_EQ(column(table, "core_clock").unit, "Hz");
  EXPECT_THAT(numbers(table, "throttle_events"), ElementsAre(0, 0, 0, 0, 0, 1, 0));
  EXPECT_EQ(texts(table, "node"), std::vector<std::string>(7, "node0"));
  const auto& t = std::get<std::vector<std::uint64_t>>(column(table, "t").values);
  EXPECT_TRUE(std::is_sorted(t.begin(), t.end()));
  EXPECT_EQ(column(table, "t").unit, "ns");
}

TEST_F(TelemetryTest, AGpuCountsForFlagsOnlyWhereTheCaseWorksOnIt) {
  for (const bool on_gpu : {true, false}) {
    TelemetryDuties duties{.host = "a", .node = {}, .gpu = ""};
    if (world().rank() == world().size() - 1) duties.gpu = "0000:0a:00.0";
    Telemetry telemetry(always(), duties, now_ns());
    telemetry.begin_case();
    telemetry.set_on_gpu(on_gpu);
    telemetry.begin_samples();
    telemetry.end_samples("time", 30);
    CaseResult result = thirty_iterations();
    telemetry.end_case(world(), result);
    if (world().rank() != 0) continue;
    // The stand-in is held down by heat for a quarter of the time.
    EXPECT_EQ(result.metrics[0].samples.flags,
              on_gpu ? std::vector<std::uint16_t>(30, kThrottled) : std::vector<std::uint16_t>());
    const Table& table = result.tables.at("telemetry/gpu");
    EXPECT_EQ(numbers(table, "heat_slowed"), std::vector<double>(4, 0.25));
    EXPECT_EQ(texts(table, "device"), std::vector<std::string>(4, "0000:0a:00.0"));
    EXPECT_EQ(result.tables.count("telemetry/node"), 0U);
  }
}

TEST_F(TelemetryTest, NodesAreStackedAndWhatOneCannotReadIsNotANumber) {
  TelemetryOptions options = always();
  if (world().rank() == 0)
    clock(1500);
  else
    write("sys/class/hwmon/hwmon0/temp1_input", 45000);
  std::ofstream(root_ / "sys/class/hwmon/hwmon0/name") << "k10temp\n";
  Telemetry telemetry(options, node(), now_ns());
  telemetry.begin_case();
  CaseResult result = thirty_iterations();
  telemetry.end_case(world(), result);
  if (world().rank() != 0) return;
  const Table& table = result.tables.at("telemetry/node");
  const std::vector<double>& clocks = numbers(table, "core_clock");
  ASSERT_EQ(clocks.size(), 2U * static_cast<std::size_t>(world().size()));
  for (std::size_t row = 0; row < clocks.size(); ++row) {
    EXPECT_EQ(texts(table, "node")[row], "node" + std::to_string(row / 2));
    EXPECT_EQ(std::isnan(clocks[row]), row >= 2) << row;
    if (world().size() > 1) {
      EXPECT_EQ(std::isnan(numbers(table, "temperature")[row]), row < 2) << row;
    }
  }
}

TEST_F(TelemetryTest, ShortCasesShareAReading) {
  clock(3000);
  TelemetryOptions options = always();
  options.seconds = 3600;
  Telemetry telemetry(options, node(), now_ns());
  std::vector<std::uint64_t> times;
  for (int i = 0; i < 2; ++i) {
    telemetry.begin_case();
    telemetry.begin_samples();
    telemetry.between_samples(10);
    telemetry.end_samples("time", 30);
    CaseResult result = thirty_iterations();
    telemetry.end_case(world(), result);
    if (world().rank() != 0) continue;
    const Table& table = result.tables.at("telemetry/node");
    const auto& t = std::get<std::vector<std::uint64_t>>(column(table, "t").values);
    ASSERT_EQ(t.size(), static_cast<std::size_t>(world().size()));
    times.push_back(t[0]);
    EXPECT_TRUE(result.metrics[0].samples.flags.empty());
  }
  if (world().rank() == 0) {
    EXPECT_EQ(times[0], times[1]);
  }
}

TEST_F(TelemetryTest, OffReadsNothing) {
  TelemetryOptions options = always();
  options.seconds.reset();
  Telemetry telemetry(options, node(), now_ns());
  telemetry.begin_case();
  telemetry.begin_samples();
  telemetry.between_samples(3);
  telemetry.end_samples("time", 30);
  CaseResult result = thirty_iterations();
  telemetry.end_case(world(), result);
  EXPECT_TRUE(result.tables.empty());
}

}  // namespace
}  // namespace scalemark
