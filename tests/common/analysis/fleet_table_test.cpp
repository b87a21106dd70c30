// SPDX-License-Identifier: Apache-2.0
// Verdicts of hosts from what they measured by themselves and in pairs.
#include "common/analysis/fleet_table.hpp"

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "tests/common/analysis/fleet_cases.hpp"

namespace scalemark::analysis {
namespace {

using fleet::NodeVerdict;

TEST(FleetTable, QuietHostsAreOk) {
  const FleetTable table = measured(kNone, kNone).table();
  EXPECT_EQ(table.hosts.size(), kHosts);
  EXPECT_EQ(table.count(NodeVerdict::ok), kHosts);
  EXPECT_EQ(table.screenings, 1U);
  EXPECT_EQ(table.lone_cases, 1U);
}

TEST(FleetTable, ASlowNetworkIsNamed) {
  const FleetTable table = measured(kNone, 3).table();
  ASSERT_EQ(table.count(NodeVerdict::bad), 1U);
  const HostEvidence& why = table.hosts.front().evidence.front();
  EXPECT_EQ(table.hosts.front().host, "node3");
  EXPECT_EQ(why.component, "network");
  EXPECT_NEAR(why.factor, 1.5, 0.01);
  EXPECT_EQ(why.pairs, 4U) << "rounds after the third are those of a second look";
}

TEST(FleetTable, ASlowProcessorIsNamedAndNotTheNetworkThatItDelays) {
  const FleetTable table = measured(3, 3).table();
  ASSERT_EQ(table.count(NodeVerdict::bad), 1U);
  const HostVerdict& worst = table.hosts.front();
  EXPECT_EQ(worst.host, "node3");
  EXPECT_EQ(worst.evidence.front().component, "CPU");
  EXPECT_NEAR(worst.evidence.front().factor, 1.8, 0.02);
  EXPECT_EQ(worst.evidence.front().rank, 0U);
  EXPECT_EQ(worst.evidence[1].component, "network");
  EXPECT_EQ(worst.evidence[1].verdict, NodeVerdict::bad);
  EXPECT_EQ(worst.evidence.back().verdict, NodeVerdict::ok) << "its other rank";
}

TEST(FleetTable, ASlowProcessorIsNamedAndNotTheMemoryThatItDelays) {
  const auto named = [](double cpu) {
    FleetCases cases({});
    for (std::size_t i = 0; i < kHosts; ++i) {
      cases.add(run_on(host(i)), products("cpu", i == 2 ? cpu : 0.01, 0.01));
      CaseResult stream = products("cpu", i == 2 ? 0.03 : 0.01, 0.01);
      stream.name = "micro/stream";
      stream.key = "micro/stream device=cpu";
      cases.add(run_on(host(i)), stream);
    }
    return cases.table().hosts.front().evidence.front().component;
  };
  EXPECT_EQ(named(0.02), "CPU") << "though its memory takes three times as long";
  EXPECT_EQ(named(0.01), "host memory");
}

TEST(FleetTable, ASlowGpuIsNamedByItsAddress) {
  FleetCases cases({});
  for (std::size_t i = 0; i < kHosts; ++i)
    cases.add(run_on(host(i)), products("cuda", 0.01, i == 5 ? 0.02 : 0.01));
  const FleetTable table = cases.table();
  ASSERT_EQ(table.count(NodeVerdict::bad), 1U);
  const HostEvidence& why = table.hosts.front().evidence.front();
  EXPECT_EQ(why.component, "GPU");
  EXPECT_EQ(why.rank, 1U);
  EXPECT_EQ(why.device, "0000:01:00.0");
}

TEST(FleetTable, HostsWithoutResultsAreUntested) {
  FleetCases cases = measured(kNone, kNone, {"node0.cluster", "node9"});
  const FleetTable table = cases.table();
  ASSERT_EQ(table.count(NodeVerdict::untested), 1U);
  EXPECT_EQ(table.hosts.front().host, "node9");
  EXPECT_EQ(table.hosts.front().evidence.front().reason, "in no file");

  cases.add(run_on("late"), products("cpu", 0.01, 0.01));
  const HostVerdict late = cases.table().hosts.front();
  EXPECT_EQ(late.host, "late");
  EXPECT_EQ(late.evidence.front().component, "network");
  EXPECT_EQ(late.evidence.front().reason, "in no screening");
}

TEST(FleetTable, OfSeveralHostsANetworkThatNobodyMeasuredIsUntested) {
  const auto untested = [](const std::vector<std::string>& hosts) {
    FleetCases cases({.switches = {}, .hosts = hosts, .failing = {}, .only_together = {}});
    for (std::size_t i = 0; i < kHosts; ++i)
      cases.add(run_on(host(i)), products("cpu", 0.01, 0.01));
    return cases.table().count(NodeVerdict::untested);
  };
  EXPECT_EQ(untested({"node0", "node1"}), kHosts);
  EXPECT_EQ(untested({"node0"}), 0U) << "it has nobody to meet";
  EXPECT_EQ(untested({}), 0U);
}

TEST(FleetTable, AFaultIsABadHostALinkOrAGroup) {
  EXPECT_FALSE(measured(kNone, kNone).table().has_fault());
  EXPECT_TRUE(measured(kNone, 3).table().has_fault());
  const FleetLink link{.one = "a", .other = "b", .factor = 2, .measurements = 2, .key = {}};
  FleetTable table;
  table.links = {link};
  EXPECT_TRUE(table.has_fault());
  table.links = {};
  table.uplinks = {link};
  EXPECT_TRUE(table.has_fault());
  FleetCases cases({.switches = {}, .hosts = {}, .failing = {}, .only_together = {{"a", "b"}}});
  EXPECT_TRUE(cases.table().has_fault());
}

TEST(FleetTable, AHostThatOnlyMeetsOthersIsUntestedByItself) {
  FleetCases cases({});
  for (std::size_t i = 1; i < kHosts; ++i) cases.add(run_on(host(i)), products("cpu", 0.01, 0.01));
  cases.add({}, screening_of(kNone));
  const FleetTable table = cases.table();
  ASSERT_EQ(table.count(NodeVerdict::untested), 1U);
  EXPECT_EQ(table.hosts.front().host, "node0");
}

TEST(FleetTable, WhatFailsOnFewHostsMakesThemBad) {
  const auto table_with = [](std::size_t failing, Status status) {
    FleetCases cases({});
    for (std::size_t i = 0; i < kHosts; ++i) {
      CaseResult result = products("cuda", 0.01, 0.01);
      if (i < failing) {
        result.status = status;
        result.reason = "no GPU here";
      }
      cases.add(run_on(host(i)), result);
    }
    return cases.table();
  };
  for (const Status status : {Status::failed, Status::skipped, Status::oom, Status::timeout}) {
    const FleetTable table = table_with(3, status);
    ASSERT_EQ(table.count(NodeVerdict::bad), 3U);
    const std::string& reason = table.hosts.front().evidence.front().reason;
    EXPECT_EQ(reason, std::string(to_string(status)) + ": no GPU here");
  }
  EXPECT_EQ(table_with(4, Status::skipped).count(NodeVerdict::bad), 0U)
      << "half of the hosts have none: another kind of host";
}

TEST(FleetTable, WrongDataMakesAHostBad) {
  FleetCases cases({});
  for (std::size_t i = 0; i < 2; ++i) {
    CaseResult result = products("cpu", 0.01, 0.01);
    result.verification = {.done = true, .checked = 100, .wrong = i == 1 ? 7U : 0U, .rule = {}};
    cases.add(run_on(host(i)), result);
  }
  const FleetTable table = cases.table();
  ASSERT_EQ(table.count(NodeVerdict::bad), 1U) << "however few others there are";
  EXPECT_EQ(table.hosts.front().host, "node1");
  EXPECT_EQ(table.hosts.front().evidence.front().reason, "7 of 100 values are wrong");
}

TEST(FleetTable, OtherMachinesAreNotComparedWith) {
  FleetCases cases({});
  for (std::size_t i = 0; i < kHosts; ++i) {
    auto run = run_on(host(i));
    if (i < 3) run.environment.common["cpu_model"] = "an older CPU";
    cases.add(run, products("cpu", i < 3 ? 0.02 : 0.01, i < 3 ? 0.02 : 0.01));
  }
  EXPECT_EQ(cases.table().count(NodeVerdict::ok), kHosts);
}

TEST(FleetTable, CasesOfFewHostsMakeThemUntestedOnlyWithoutOthers) {
  FleetCases cases({});
  CaseResult rare = products("cpu", 0.01, 0.01);
  rare.key = "micro/gemm of two hosts";
  for (std::size_t i = 0; i < 2; ++i) cases.add(run_on(host(i)), rare);
  const FleetTable few = cases.table();
  EXPECT_EQ(few.count(NodeVerdict::untested), 2U);
  EXPECT_EQ(few.hosts.front().evidence.front().reason, "fewer than three hosts like it");
  for (std::size_t i = 0; i < kHosts; ++i) cases.add(run_on(host(i)), products("cpu", 0.01, 0.01));
  EXPECT_EQ(cases.table().count(NodeVerdict::ok), kHosts);
}

TEST(FleetTable, OfSeveralRunsTheFastestCounts) {
  FleetCases cases({});
  for (std::size_t i = 0; i < kHosts; ++i)
    cases.add(run_on(host(i)), products("cpu", i == 2 ? 0.02 : 0.01, 0.01));
  EXPECT_EQ(cases.table().count(NodeVerdict::bad), 1U);
  cases.add(run_on(host(2)), products("cpu", 0.01, 0.01));
  EXPECT_EQ(cases.table().count(NodeVerdict::bad), 0U);
}

TEST(FleetTable, PartsOfPeaksAreMediansOverHosts) {
  FleetCases cases({});
  const auto with_peak = [](double fraction) {
    CaseResult one = products("cpu", 0.01, 0.01);
    one.facts["peak_fraction"] = fraction;
    return one;
  };
  for (std::size_t i = 0; i < 3; ++i)
    cases.add(run_on(host(i)), with_peak(0.5 + 0.1 * static_cast<double>(i)));
  cases.add(run_on(host(0)), with_peak(0.4));  // a worse run of a host
  cases.add(run_on(host(3)), products("cpu", 0.01, 0.01));
  const FleetTable table = cases.table();
  ASSERT_EQ(table.peaks.size(), 1U);
  EXPECT_DOUBLE_EQ(table.peaks[0].fraction, 0.6);
  EXPECT_DOUBLE_EQ(table.peaks[0].least, 0.5);
  EXPECT_EQ(table.peaks[0].hosts, 3U);
  EXPECT_EQ(table.peaks[0].component, "CPU");
}

TEST(FleetTable, RunsOverHostsCountWhereRanksAreIndependent) {
  scalemark::Run run;
  for (std::size_t i = 0; i < 4; ++i) run.ranks.push_back(run_on(host(i / 2)).ranks[i % 2]);
  CaseResult together = products("cpu", 0.01, 0.01);
  FleetCases cases({});
  cases.add(run, together);
  EXPECT_TRUE(cases.table().hosts.empty());
  together.facts["rank_local"] = true;
  cases.add(run, together);
  EXPECT_EQ(cases.table().hosts.size(), 1U) << "the case has two ranks, both of the first host";
}

TEST(FleetTable, HostsThatOperationsFailWithAreBad) {
  FleetCases cases({.switches = {},
                    .hosts = {"node9", "node2"},
                    .failing = {"node2.cluster", "node9"},
                    .only_together = {}});
  for (std::size_t i = 0; i < kHosts; ++i) cases.add(run_on(host(i)), products("cpu", 0.01, 0.01));
  const FleetTable table = cases.table();
  ASSERT_EQ(table.count(NodeVerdict::bad), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(table.hosts[i].host, i == 0 ? "node2" : "node9");
    EXPECT_EQ(table.hosts[i].evidence.front().component, "network");
    EXPECT_EQ(table.hosts[i].evidence.front().reason, "operations with it fail or do not end");
  }
}

TEST(FleetTable, WhatSensorsSayIsEvidence) {
  FleetCases cases = measured(kNone, kNone);
  CaseResult seen = products("cpu", 0.01, 0.01);
  seen.tables["telemetry/gpu"] = {
      .columns = {{"node", "", std::vector<std::string>{"node3"}},
                  {"device", "", std::vector<std::string>{"0000:01:00.0"}},
                  {"ecc_uncorrected", "1", std::vector<double>{1}}}};
  cases.add(run_on("node3"), seen);
  const FleetTable fleet = cases.table();
  EXPECT_EQ(fleet.count(NodeVerdict::bad), 1U);
  EXPECT_EQ(fleet.hosts[0].host, "node3");
  EXPECT_EQ(fleet.hosts[0].evidence.front().component, "GPU memory");
  EXPECT_EQ(fleet.hosts[0].evidence.front().device, "0000:01:00.0");
}

TEST(FleetTable, EveryHostOfAScreeningNeedsASwitch) {
  FleetCases cases(
      {.switches = {{"node0", "leaf"}}, .hosts = {}, .failing = {}, .only_together = {}});
  EXPECT_THROW(cases.add({}, screening_of(kNone)), InputError);
}

}  // namespace
}  // namespace scalemark::analysis
