// SPDX-License-Identifier: Apache-2.0
// Verdicts of hosts from what they measured by themselves and in pairs.
#include "common/analysis/fleet_table.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/fleet/pair_rounds.hpp"

namespace scalemark::analysis {
namespace {

using fleet::NodeVerdict;

constexpr std::size_t kHosts = 8;

std::string host(std::size_t number) { return "node" + std::to_string(number); }

/// A run with two ranks on one host.
Run run_on(const std::string& name) {
  Run run;
  run.environment.common["cpu_model"] = "a CPU";
  for (int rank = 0; rank < 2; ++rank)
    run.ranks.push_back({.rank = rank,
                         .node = name,
                         .local_rank = rank,
                         .cpuset = {},
                         .gpu_uuid = {},
                         .gpu_pci = "0000:0" + std::to_string(rank) + ":00.0",
                         .gpu_model = "a GPU",
                         .nic = {},
                         .note = {}});
  return run;
}

/// Products whose ranks take so long, in seconds; 5 samples each, after a slow warm-up.
CaseResult products(const std::string& device, double first, double second) {
  CaseResult result;
  result.name = "micro/gemm";
  result.params["device"] = device;
  result.key = make_key(result.name, result.params);
  result.primary_metric = "achieved_flops";
  Metric rate;
  rate.name = "achieved_flops";
  rate.kind = MetricKind::rate;
  rate.source = "time";
  Metric time;
  time.name = "time";
  time.samples.ranks = 2;
  time.samples.iterations = 6;
  time.samples.warmup = {1, 0, 0, 0, 0, 0};
  std::vector<double> values;
  for (const double seconds : {first, second}) {
    values.push_back(100 * seconds);
    values.insert(values.end(), 5, seconds);
  }
  time.samples.values = values;
  result.metrics = {rate, time};
  return result;
}

/// All pairs of a screening, those of `slow` 1.5 times as long.
CaseResult screening_of(std::size_t slow) {
  CaseResult result;
  result.key = "micro/bandwidth pairs=screening";
  result.facts["screening_rounds"] = std::int64_t{3};
  std::vector<std::uint64_t> rank, peer, number;
  std::vector<std::string> rank_place, peer_place;
  std::vector<double> seconds;
  for (std::size_t round = 0; round < fleet::tournament_rounds(kHosts); ++round) {
    for (const fleet::NodePair& pair : fleet::tournament_round(kHosts, round)) {
      rank.push_back(pair.a);
      peer.push_back(pair.b);
      number.push_back(round);
      rank_place.push_back(host(pair.a));
      peer_place.push_back(host(pair.b));
      const double wobble = 1 + 0.001 * static_cast<double>(seconds.size() % 5);
      seconds.push_back((pair.a == slow || pair.b == slow ? 1.5 : 1.0) * wobble);
    }
  }
  result.tables["pairs"] = {.columns = {{"rank", "", rank},
                                        {"peer", "", peer},
                                        {"rank_place", "", rank_place},
                                        {"peer_place", "", peer_place},
                                        {"latency", "s", seconds},
                                        {"round", "", number}}};
  return result;
}

constexpr std::size_t kNone = kHosts;

using Numbers = std::vector<std::uint64_t>;

/// The screenings of several rails in one case, and a slow host of each. Rank k of a host is on
/// rail k.
CaseResult screening_of_rails(const std::vector<std::size_t>& slow) {
  CaseResult all;
  Numbers rail;
  for (std::size_t number = 0; number < slow.size(); ++number) {
    CaseResult one = screening_of(slow[number]);
    std::vector<Column>& columns = one.tables["pairs"].columns;
    const std::size_t rows = std::get<Numbers>(columns[0].values).size();
    for (std::size_t i = 0; i < 2; ++i)
      for (std::uint64_t& rank : std::get<Numbers>(columns[i].values))
        rank = rank * slow.size() + number;
    rail.insert(rail.end(), rows, number);
    if (number == 0) {
      all = std::move(one);
      continue;
    }
    for (std::size_t i = 0; i < columns.size(); ++i)
      std::visit(
          [&](auto& values) {
            const auto& more = std::get<std::decay_t<decltype(values)>>(columns[i].values);
            values.insert(values.end(), more.begin(), more.end());
          },
          all.tables["pairs"].columns[i].values);
  }
  all.tables["pairs"].columns.push_back({"rail", "", rail});
  return all;
}

/// The run of such a screening.
Run run_of_rails(std::size_t rails) {
  Run run;
  for (std::size_t rank = 0; rank < kHosts * rails; ++rank) {
    RankInfo one;
    one.rank = static_cast<int>(rank);
    one.node = host(rank / rails);
    one.gpu_pci = "0000:0" + std::to_string(rank % rails) + ":00.0";
    one.nic = "mlx5_" + std::to_string(rank % rails);
    run.ranks.push_back(one);
  }
  return run;
}

/// Eight hosts; `slow_alone` takes 1.8 times as long by itself, `slow_network` in pairs.
FleetCases measured(std::size_t slow_alone, std::size_t slow_network,
                    std::vector<std::string> expected = {}) {
  FleetCases cases({.switches = {}, .hosts = std::move(expected), .failing = {}});
  for (std::size_t i = 0; i < kHosts; ++i) {
    const double factor = i == slow_alone ? 1.8 : 1 + 0.001 * static_cast<double>(i);
    cases.add(run_on(host(i)), products("cpu", 0.01 * factor, 0.01));
  }
  cases.add({}, screening_of(slow_network));
  return cases;
}

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

TEST(FleetTable, AHostThatBecameSlowerIsNamedThoughOthersAreSlowerStill) {
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

TEST(FleetTable, WhatChangedOnAllHostsIsNoFaultOfOne) {
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

TEST(FleetTable, APastOfTwoHostsOrOfOtherHardwareSaysNothing) {
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

TEST(FleetTable, SimulatedPastsRaiseFewFalseAlarmsAndShowWhatIsPlanted) {
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
  FleetCases cases(
      {.switches = {}, .hosts = {"node9", "node2"}, .failing = {"node2.cluster", "node9"}});
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

TEST(FleetTable, ASlowRailIsNamedWithItsGpuAndCard) {
  FleetCases cases({});
  cases.add(run_of_rails(4), screening_of_rails({kNone, kNone, 5, kNone}));
  const FleetTable fleet = cases.table();
  EXPECT_EQ(fleet.count(NodeVerdict::bad), 1U);
  ASSERT_EQ(fleet.hosts.size(), kHosts);
  EXPECT_EQ(fleet.hosts[0].host, "node5");
  const HostEvidence& why = fleet.hosts[0].evidence.front();
  EXPECT_EQ(why.verdict, NodeVerdict::bad);
  EXPECT_EQ(why.reason, "1.50 times as long as the median, 4 pairs, rail 2 of 4");
  EXPECT_EQ(why.device, "0000:02:00.0 mlx5_2");
  EXPECT_EQ(why.rail, 2U);
  EXPECT_EQ(why.rank, 5U * 4 + 2);
  EXPECT_EQ(fleet.hosts[0].evidence[1].verdict, NodeVerdict::ok) << "its other rails";
}

TEST(FleetTable, AHostThatIsSlowOnAllRailsSaysSo) {
  FleetCases cases({});
  cases.add(run_of_rails(3), screening_of_rails({5, 5, 5}));
  const FleetTable all = cases.table();
  EXPECT_EQ(all.count(NodeVerdict::bad), 1U);
  EXPECT_EQ(all.hosts[0].evidence.front().reason,
            "1.50 times as long as the median, 4 pairs, all 3 rails");
  FleetCases two({});
  two.add(run_of_rails(3), screening_of_rails({5, kNone, 5}));
  EXPECT_EQ(two.table().hosts[0].evidence.front().reason,
            "1.50 times as long as the median, 4 pairs, rails 0, 2 of 3");
}

TEST(FleetTable, EveryHostOfAScreeningNeedsASwitch) {
  FleetCases cases({.switches = {{"node0", "leaf"}}, .hosts = {}, .failing = {}});
  EXPECT_THROW(cases.add({}, screening_of(kNone)), InputError);
}

}  // namespace
}  // namespace scalemark::analysis
