// SPDX-License-Identifier: Apache-2.0
// Verdicts of hosts from earlier runs of them.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "tests/common/analysis/fleet_cases.hpp"

namespace scalemark::analysis {
namespace {

using fleet::NodeVerdict;

/// Eight hosts, each 5 % slower than the one before, with three earlier runs and one of now.
FleetCases with_past(double slower_host_3, double slower_all) {
  FleetCases cases({});
  for (std::size_t i = 0; i < kHosts; ++i) {
    const double own = 0.01 * (1 + 0.05 * static_cast<double>(i));
    for (const double wobble : {0.999, 1.0, 1.001})
      cases.add_past(run_on(host(i)), products("cpu", own * wobble, own));
    const double now = own * slower_all * (i == 3 ? slower_host_3 : 1);
    cases.add(run_on(host(i)), products("cpu", now, own * slower_all));
  }
  return cases;
}

TEST(FleetPast, AHostThatBecameSlowerIsNamedThoughOthersAreSlowerStill) {
  EXPECT_EQ(with_past(1, 1).table().count(NodeVerdict::ok), kHosts);
  const FleetTable table = with_past(1.2, 1).table();
  ASSERT_EQ(table.count(NodeVerdict::bad), 1U);
  EXPECT_EQ(table.hosts.front().host, "node3");
  const HostEvidence& why = table.hosts.front().evidence.front();
  EXPECT_EQ(why.component, "CPU");
  EXPECT_EQ(why.past, 3U);
  EXPECT_NEAR(why.factor, 1.2, 0.01);
  EXPECT_EQ(why.reason,
            "1.20 times as long as in 3 earlier runs, by comparison with the other hosts");
  EXPECT_TRUE(table.changes.empty());
}

TEST(FleetPast, WhatChangedOnAllHostsIsNoFaultOfOne) {
  const FleetTable table = with_past(1, 1.1).table();
  EXPECT_EQ(table.count(NodeVerdict::ok), kHosts);
  ASSERT_EQ(table.changes.size(), 1U);
  EXPECT_NEAR(table.changes.front().factor, 1.1, 1e-6);
  EXPECT_EQ(table.changes.front().hosts, kHosts);
  EXPECT_EQ(table.changes.front().component, "CPU");
  const FleetTable both = with_past(1.2, 1.1).table();
  ASSERT_EQ(both.count(NodeVerdict::bad), 1U);
  EXPECT_NEAR(both.hosts.front().evidence.front().factor, 1.2, 0.01);
}

TEST(FleetPast, APastOfTwoHostsOrOfOtherHardwareSaysNothing) {
  FleetCases few({}), other({});
  for (std::size_t i = 0; i < kHosts; ++i) {
    if (i < 2) few.add_past(run_on(host(i)), products("cpu", 0.005, 0.005));
    auto older = run_on(host(i));
    older.environment.common["cpu_model"] = "an older CPU";
    other.add_past(older, products("cpu", 0.02, 0.02));
    for (FleetCases* cases : {&few, &other})
      cases->add(run_on(host(i)), products("cpu", 0.01, 0.01));
  }
  for (const FleetCases* cases : {&few, &other}) {
    EXPECT_EQ(cases->table().count(NodeVerdict::ok), kHosts);
    EXPECT_TRUE(cases->table().changes.empty());
  }
}

TEST(FleetPast, SimulatedPastsRaiseFewFalseAlarmsAndShowWhatIsPlanted) {
  std::size_t found = 0, wrong = 0;
  constexpr unsigned kTables = 200;
  for (unsigned seed = 0; seed < kTables; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> noise(0, 0.01), hosts(0, 0.03);
    FleetCases cases({});
    for (std::size_t i = 0; i < 16; ++i) {
      const double own = 0.01 * std::exp(hosts(random));
      for (int run = 0; run < 3; ++run)
        cases.add_past(run_on(host(i)), products("cpu", own * std::exp(noise(random)),
                                                 own * std::exp(noise(random))));
      cases.add(run_on(host(i)), products("cpu", own * std::exp(noise(random)) * (i == 5 ? 1.2 : 1),
                                          own * std::exp(noise(random))));
    }
    const FleetTable table = cases.table();
    for (const HostVerdict& one : table.hosts) {
      const bool is_bad = one.verdict() == NodeVerdict::bad;
      if (one.host == host(5))
        found += is_bad;
      else
        wrong += is_bad;
    }
  }
  EXPECT_GE(found, kTables * 95 / 100);
  EXPECT_LE(wrong, kTables * 2 / 100)
      << "once in a hundred is promised for each of two comparisons";
}

}  // namespace
}  // namespace scalemark::analysis
