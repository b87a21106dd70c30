// SPDX-License-Identifier: Apache-2.0
// Errors of network adapters, from the facts of a run.
#include "common/analysis/adapter_errors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/analysis/host_sensors.hpp"

namespace scalemark::analysis {
namespace {

/// Two hosts with an InfiniBand adapter, whose counters are as given, and Ethernet without errors.
Run run_of(const std::string& begin, const std::map<std::string, std::string>& end) {
  Run run;
  run.uuid = "a";
  for (const char* host : {"n1", "n2", "n2"}) {
    RankInfo rank;
    rank.node = host;
    run.ranks.push_back(rank);
  }
  run.environment.common["nic_errors.mlx5_0"] = begin;
  run.environment.differs["end.nic_errors.mlx5_0"] = end;
  run.environment.common["nic_errors.eth0"] = "rx_errors=0 tx_errors=0 carrier_down_count=1";
  run.environment.common["end.nic_errors.eth0"] = "rx_errors=0 tx_errors=0 carrier_down_count=1";
  return run;
}

std::vector<std::string> lines_of(const Run& run) {
  std::vector<std::string> lines;
  for (const AdapterErrors& one : adapter_errors(run))
    lines.push_back(one.host + " " + one.adapter + " " + one.counter + " " +
                    std::to_string(one.count));
  return lines;
}

TEST(AdapterErrors, AreWhatCountersRoseByOnEachHost) {
  const auto run = run_of("symbol_error=3 link_downed=1 port_xmit_wait=5",
                          {{"n1", "symbol_error=3 link_downed=1 port_xmit_wait=9000"},
                           {"n2", "symbol_error=15 link_downed=2 port_xmit_wait=5"}});
  EXPECT_THAT(lines_of(run),
              testing::ElementsAre("n2 mlx5_0 symbol_error 12", "n2 mlx5_0 link_downed 1"));
}

TEST(AdapterErrors, CountersThatFellOrAreMissingSayNothing) {
  const std::string reset = "symbol_error=0", gone = "unavailable: /sys", odd = "symbol_error=x =4";
  EXPECT_THAT(lines_of(run_of("symbol_error=3", {{"n1", reset}, {"n2", gone}})),
              testing::IsEmpty());
  EXPECT_THAT(lines_of(run_of(gone, {{"n1", "symbol_error=3"}, {"n2", odd}})), testing::IsEmpty());
  const std::string most = "symbol_error=9223372036854775807", negative = "symbol_error=-9";
  EXPECT_THAT(lines_of(run_of(negative, {{"n1", most}, {"n2", negative}})), testing::IsEmpty());
  EXPECT_THAT(lines_of(run_of("symbol_error=3", {})), testing::IsEmpty()) << "a run without an end";
}

TEST(AdapterErrors, OfAllRunsMakeAHostSuspect) {
  HostSensors sensors;
  auto run = run_of("symbol_error=3", {{"n1", "symbol_error=3"}, {"n2", "symbol_error=5"}});
  sensors.add(run, {});
  sensors.add(run, {});  // another case of the same run
  run.uuid = "b";
  sensors.add(run, {});
  const std::vector<SensorFinding> found = sensors.findings();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].host, "n2");
  EXPECT_EQ(found[0].component, "network");
  EXPECT_EQ(found[0].verdict, fleet::NodeVerdict::suspect);
  EXPECT_EQ(found[0].reason, "symbol_error of mlx5_0 rose by 4 while it was measured");
}

}  // namespace
}  // namespace scalemark::analysis
