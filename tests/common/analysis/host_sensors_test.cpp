// SPDX-License-Identifier: Apache-2.0
// Findings from the readings of sensors.
#include "common/analysis/host_sensors.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace scalemark::analysis {
namespace {

using fleet::NodeVerdict;
using Texts = std::vector<std::string>;
using Values = std::vector<double>;

constexpr const char* kPci = "0000:0a:00.0";

Run run_with(const std::string& host, const std::string& rows = "0 corrected, 0 uncorrected") {
  Run run;
  run.environment.common["cpu_model"] = "a CPU";
  run.environment.differs["gpu_remapped_rows"][host] = rows;
  RankInfo rank;
  rank.node = host;
  rank.gpu_pci = kPci;
  rank.gpu_model = "a GPU";
  run.ranks = {rank};
  return run;
}

/// Two readings of a host and of its GPU; a healthy one has the values of a usual H100.
struct Seen {
  double temperature = 60, heat_slowed = 0, uncorrected = 0, width = 16, generation = 5;
  double cpu_temperature = 70, throttle_events = 0;
  double sm_clock = 1.98e9, core_clock = 3.0e9;
};

CaseResult seen(const std::string& host, const Seen& last,
                const std::string& computes_on = "cuda") {
  const double before = 40;  // throttling events before the case
  const double none = std::nan("");
  CaseResult result;
  result.params = {{"device", computes_on}};
  result.tables["telemetry/gpu"] = {
      .columns = {{"node", "", Texts{host, host}},
                  {"device", "", Texts{kPci, kPci}},
                  {"temperature", "Cel", Values{30, last.temperature}},
                  {"sm_clock", "Hz", Values{0.3e9, last.sm_clock}},
                  {"heat_slowed", "1", Values{none, last.heat_slowed}},
                  {"ecc_uncorrected", "1", Values{last.uncorrected, last.uncorrected}},
                  {"pcie_width", "1", Values{last.width, last.width}},
                  {"pcie_generation", "1", Values{1, last.generation}}}};
  result.tables["telemetry/node"] = {
      .columns = {{"node", "", Texts{host, host}},
                  {"temperature", "Cel", Values{40, last.cpu_temperature}},
                  {"core_clock", "Hz", Values{0.8e9, last.core_clock}},
                  {"throttle_events", "1", Values{before, last.throttle_events}}}};
  return result;
}

/// Four hosts, the last of which is as given.
std::vector<SensorFinding> findings(const Seen& last,
                                    const std::string& rows = "0 corrected, 0 uncorrected") {
  HostSensors sensors;
  for (const char* device : {"cpu", "cuda"}) {
    for (const char* host : {"n1", "n2", "n3"}) sensors.add(run_with(host), seen(host, {}, device));
    sensors.add(run_with("n4", rows), seen("n4", last, device));
  }
  return sensors.findings();
}

void expect_one(const std::vector<SensorFinding>& found, NodeVerdict verdict,
                const std::string& component, const std::string& reason) {
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].host, "n4");
  EXPECT_EQ(found[0].verdict, verdict);
  EXPECT_EQ(found[0].component, component);
  EXPECT_EQ(found[0].reason, reason);
}

TEST(HostSensors, HealthyHostsHaveNoFindings) { EXPECT_TRUE(findings({}).empty()); }

TEST(HostSensors, ErrorsOfMemoryAreBad) {
  const auto found = findings({.uncorrected = 2});
  expect_one(found, NodeVerdict::bad, "GPU memory",
             "2 uncorrectable ECC errors since its driver was loaded");
  EXPECT_EQ(found[0].device, kPci);
  expect_one(findings({}, "1 corrected, 0 uncorrected, pending"), NodeVerdict::suspect,
             "GPU memory", "remapped rows: 1 corrected, 0 uncorrected, pending");
  expect_one(findings({}, "0 corrected, 9 uncorrected, failed"), NodeVerdict::bad, "GPU memory",
             "remapped rows: 0 corrected, 9 uncorrected, failed");
}

TEST(HostSensors, HeatIsSuspect) {
  expect_one(findings({.heat_slowed = 0.12}), NodeVerdict::suspect, "GPU",
             "heat slowed its clock for up to 12 % of the time");
  expect_one(findings({.temperature = 88}), NodeVerdict::suspect, "GPU",
             "88 degrees Celsius, the median is 60");
  expect_one(findings({.cpu_temperature = 95}), NodeVerdict::suspect, "CPU",
             "95 degrees Celsius, the median is 70");
  expect_one(findings({.throttle_events = 3}), NodeVerdict::suspect, "CPU",
             "3 thermal throttling events in a case");
  EXPECT_TRUE(findings({.temperature = 74, .cpu_temperature = 84}).empty()) << "within 15 K";
  EXPECT_TRUE(findings({.temperature = 30}).empty()) << "cooler";
}

TEST(HostSensors, AClockThatStaysLowIsSuspect) {
  expect_one(findings({.core_clock = 2.1e9}), NodeVerdict::suspect, "CPU",
             "its clock reached 2.10 GHz, the median is 3.00 GHz");
  expect_one(findings({.sm_clock = 1.41e9}), NodeVerdict::suspect, "GPU",
             "its clock reached 1.41 GHz, the median is 1.98 GHz");
  EXPECT_TRUE(findings({.sm_clock = 1.8e9, .core_clock = 2.75e9}).empty()) << "within 10 %";
  EXPECT_TRUE(findings({.core_clock = 3.6e9}).empty()) << "higher";
}

TEST(HostSensors, IdleClocksSayNothing) {
  const std::pair<const char*, Seen> idle[] = {{"cpu", {.sm_clock = 0.3e9}},
                                               {"cuda", {.core_clock = 0.8e9}},
                                               {"", {.sm_clock = 0.3e9, .core_clock = 0.8e9}}};
  for (const auto& [device, last] : idle) {
    HostSensors sensors;
    for (const char* host : {"n1", "n2", "n3"}) sensors.add(run_with(host), seen(host, {}, device));
    sensors.add(run_with("n4"), seen("n4", last, device));
    EXPECT_TRUE(sensors.findings().empty()) << device;
  }
}

TEST(HostSensors, ClocksThatDifferAnywayMayDifferMore) {
  HostSensors sensors;
  const double clocks[] = {2.4e9, 2.7e9, 3.0e9, 3.3e9, 2.55e9, 3.15e9};
  for (std::size_t i = 0; i < std::size(clocks); ++i)
    sensors.add(run_with("n" + std::to_string(i)),
                seen("n" + std::to_string(i), {.core_clock = clocks[i]}, "cpu"));
  EXPECT_TRUE(sensors.findings().empty()) << "2.4 GHz are 16 % below the median";
}

TEST(HostSensors, ANarrowLinkIsBadAndASlowOneSuspect) {
  expect_one(findings({.width = 8}), NodeVerdict::bad, "copies between host and GPU",
             "PCIe width 8, most have 16");
  expect_one(findings({.generation = 4}), NodeVerdict::suspect, "copies between host and GPU",
             "PCIe generation 4, most have 5");
}

TEST(HostSensors, TwoHostsOrOtherModelsAreNotComparedWith) {
  HostSensors two;
  two.add(run_with("n1"), seen("n1", {}));
  two.add(run_with("n2"), seen("n2", {.temperature = 95, .width = 8}));
  EXPECT_TRUE(two.findings().empty());
  HostSensors models;
  for (const char* host : {"n1", "n2", "n3"}) models.add(run_with(host), seen(host, {}));
  auto other = run_with("n4");
  other.ranks[0].gpu_model = "another GPU";
  other.environment.common["cpu_model"] = "another CPU";
  models.add(other, seen("n4", {.temperature = 95, .width = 8, .cpu_temperature = 99}));
  EXPECT_TRUE(models.findings().empty());
}

TEST(HostSensors, DamagedTablesSayNothing) {
  HostSensors sensors;
  CaseResult result = seen("n1", {.uncorrected = 1});
  result.tables["telemetry/gpu"].columns[1].values = Texts{kPci};
  std::get<Values>(result.tables["telemetry/node"].columns[2].values) = {1};
  sensors.add(run_with("n1"), result);
  EXPECT_TRUE(sensors.findings().empty());
  result.tables["telemetry/gpu"].columns.erase(result.tables["telemetry/gpu"].columns.begin());
  sensors.add(run_with("n1"), result);
  EXPECT_TRUE(sensors.findings().empty());
}

}  // namespace
}  // namespace scalemark::analysis
