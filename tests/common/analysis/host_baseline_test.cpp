// SPDX-License-Identifier: Apache-2.0
// Hosts beside a baseline of accepted runs.
#include "common/analysis/host_baseline.hpp"

#include <set>

#include <gtest/gtest.h>

namespace scalemark::analysis {
namespace {

using fleet::NodeVerdict;

const std::string kLatency = "micro/memory_latency bytes=16777216",
                  kTriad = "micro/stream kernel=triad";

Run run_of_host(const std::string& host, const std::string& cpu = "a CPU") {
  Run run;
  run.environment.common["cpu_model"] = cpu;
  RankInfo rank;
  rank.node = host;
  run.ranks = {rank};
  return run;
}

/// A case of one sample, in `unit` and its power of ten.
CaseResult sample(const std::string& key, const char* metric, const char* unit, double value) {
  CaseResult result;
  result.name = key.substr(0, key.find(' '));
  result.key = key;
  result.primary_metric = metric;
  Metric one;
  one.name = metric;
  one.unit = unit;
  one.kind = MetricKind::count;
  one.samples.ranks = one.samples.iterations = 1;
  one.samples.warmup = {0};
  one.samples.values = std::vector<double>{value};
  result.metrics = {one};
  return result;
}

CaseResult latency(double seconds) { return sample(kLatency, "load_latency", "s", seconds); }

/// Ten runs that scatter by one percent.
HostBaseline ten_runs() {
  return HostBaseline({.rows = {{kLatency, {"load_latency", 100e-9, Better::lower, 1e-4, 10}},
                                {kTriad, {"bandwidth", 200e9, Better::higher, 1e-4, 10}}},
                       .cpu_models = {"a CPU", "its sister"},
                       .gpu_models = {}});
}

TEST(HostBaseline, HostsAreJudgedByThemselves) {
  HostBaseline hosts = ten_runs();
  hosts.add(run_of_host("good"), latency(103e-9));
  hosts.add(run_of_host("slow"), latency(130e-9));
  hosts.add(run_of_host("good"), sample(kTriad, "bandwidth", "By/s", 201e9));
  hosts.add(run_of_host("slow"), sample(kTriad, "bandwidth", "By/s", 199e9));
  const std::vector<LoneHost> judged = hosts.judged();
  ASSERT_EQ(judged.size(), 4U);
  EXPECT_EQ(judged[0].judged.verdict, NodeVerdict::ok);
  EXPECT_NEAR(judged[0].judged.factor, 1.03, 1e-12);
  EXPECT_EQ(judged[1].host, "slow");
  EXPECT_EQ(judged[1].judged.verdict, NodeVerdict::bad);
  EXPECT_EQ(judged[1].component, kHostMemory);
  EXPECT_EQ(judged[1].baseline_runs, 10U);
}

TEST(HostBaseline, ALowerRateTakesLonger) {
  HostBaseline hosts = ten_runs();
  hosts.add(run_of_host("a"), sample(kTriad, "bandwidth", "By/s", 100e9));
  hosts.add(run_of_host("a"), latency(100e-9));
  ASSERT_EQ(hosts.judged().size(), 2U);
  EXPECT_NEAR(hosts.judged()[1].judged.factor, 2, 1e-12);
  EXPECT_EQ(hosts.judged()[1].judged.verdict, NodeVerdict::bad);
}

TEST(HostBaseline, OfSeveralRunsTheFastestCounts) {
  HostBaseline hosts = ten_runs();
  for (const double seconds : {150e-9, 101e-9, 140e-9})
    hosts.add(run_of_host("a", "its sister"), latency(seconds));
  ASSERT_EQ(hosts.judged().size(), 2U) << "the triad was not measured";
  EXPECT_NEAR(hosts.judged()[0].judged.factor, 1.01, 1e-12);
}

TEST(HostBaseline, UnitsAreThoseOfTheBaseline) {
  HostBaseline hosts = ten_runs();
  hosts.add(run_of_host("a"), sample(kLatency, "load_latency", "ns", 120));
  hosts.add(run_of_host("a"), sample(kTriad, "bandwidth", "By/s", 200e9));
  ASSERT_EQ(hosts.judged().size(), 2U);
  EXPECT_NEAR(hosts.judged()[0].judged.factor, 1.2, 1e-12);
}

/// Of two hosts: one with a time in both cases, and one that lacks the triad.
std::string reason_without_triad(const std::vector<CaseResult>& instead) {
  HostBaseline hosts = ten_runs();
  for (const char* host : {"good", "lame"}) hosts.add(run_of_host(host), latency(100e-9));
  hosts.add(run_of_host("good"), sample(kTriad, "bandwidth", "By/s", 200e9));
  for (const CaseResult& one : instead) hosts.add(run_of_host("lame"), one);
  std::string reason;
  for (const LoneHost& one : hosts.judged()) {
    const bool is_bad = one.host == "lame" && one.key == kTriad;
    EXPECT_EQ(one.judged.verdict, is_bad ? NodeVerdict::bad : NodeVerdict::ok) << one.key;
    if (is_bad) reason = one.reason;
  }
  return reason;
}

TEST(HostBaseline, AHostWithoutATimeIsBad) {
  EXPECT_EQ(reason_without_triad({}), "not measured, the baseline has it");
  CaseResult failed = sample(kTriad, "bandwidth", "By/s", 200e9);
  failed.status = Status::failed;
  failed.reason = "no memory";
  EXPECT_EQ(reason_without_triad({failed}), "failed: no memory");
  CaseResult wrong = sample(kTriad, "bandwidth", "By/s", 200e9);
  wrong.verification = {.done = true, .checked = 10, .wrong = 3};
  EXPECT_EQ(reason_without_triad({wrong}), "3 of 10 values are wrong");
  EXPECT_NE(reason_without_triad({sample(kTriad, "another_metric", "s", 1)}), "");
}

TEST(HostBaseline, AHostThatWasMeasuredAgainHasATime) {
  HostBaseline hosts = ten_runs();
  CaseResult failed = latency(100e-9);
  failed.status = Status::failed;
  hosts.add(run_of_host("a"), failed);
  hosts.add(run_of_host("a"), latency(100e-9));
  hosts.add(run_of_host("a"), sample(kTriad, "bandwidth", "By/s", 200e9));
  for (const LoneHost& one : hosts.judged()) EXPECT_EQ(one.judged.verdict, NodeVerdict::ok);
}

TEST(HostBaseline, AHostWithNothingButFailuresIsBad) {
  HostBaseline hosts = ten_runs();
  CaseResult failed = latency(100e-9);
  failed.status = Status::failed;
  hosts.add(run_of_host("a"), failed);
  ASSERT_EQ(hosts.judged().size(), 2U);
  for (const LoneHost& one : hosts.judged()) EXPECT_EQ(one.judged.verdict, NodeVerdict::bad);
}

TEST(HostBaseline, AHostWithOtherCasesOnlyIsUntested) {
  HostBaseline hosts = ten_runs();
  hosts.add(run_of_host("a"), latency(100e-9));
  hosts.add(run_of_host("b"), sample("micro/gemm rows=64", "time", "s", 1));
  for (const LoneHost& one : hosts.judged())
    EXPECT_EQ(one.judged.verdict == NodeVerdict::untested, one.host == "b");
}

TEST(HostBaseline, OtherCasesAndRunsOfSeveralHostsSayNothing) {
  HostBaseline hosts = ten_runs();
  hosts.add(run_of_host("a"), sample("micro/gemm rows=64", "time", "s", 1));
  scalemark::Run two = run_of_host("b");
  two.ranks.push_back(run_of_host("c").ranks[0]);
  hosts.add(two, latency(200e-9));
  EXPECT_EQ(hosts.cases(), 0U);
  EXPECT_TRUE(hosts.judged().empty());
}

TEST(HostBaseline, HostsOfAnotherKindAreUntested) {
  HostBaseline hosts = ten_runs();
  hosts.add(run_of_host("a"), latency(100e-9));
  hosts.add(run_of_host("a"), sample(kTriad, "bandwidth", "By/s", 200e9));
  hosts.add(run_of_host("b", "another CPU"), latency(300e-9));
  hosts.add(run_of_host("unknown", "unavailable: no /proc/cpuinfo"), latency(100e-9));
  std::set<std::string> untested, judged;
  for (const LoneHost& one : hosts.judged())
    (one.judged.verdict == NodeVerdict::untested ? untested : judged).insert(one.host);
  EXPECT_EQ(untested, std::set<std::string>{"b"});
  EXPECT_EQ(judged, (std::set<std::string>{"a", "unknown"}));
}

}  // namespace
}  // namespace scalemark::analysis
