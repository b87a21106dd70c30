// SPDX-License-Identifier: Apache-2.0
// Hosts beside a baseline of accepted runs.
#include "common/analysis/host_baseline.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "common/base/error.hpp"

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
  const std::vector<LoneHost> judged = hosts.judged();
  ASSERT_EQ(judged.size(), 2U);
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
  ASSERT_EQ(hosts.judged().size(), 1U);
  EXPECT_NEAR(hosts.judged()[0].judged.factor, 2, 1e-12);
  EXPECT_EQ(hosts.judged()[0].judged.verdict, NodeVerdict::bad);
}

TEST(HostBaseline, OfSeveralRunsTheFastestCounts) {
  HostBaseline hosts = ten_runs();
  for (const double seconds : {150e-9, 101e-9, 140e-9})
    hosts.add(run_of_host("a", "its sister"), latency(seconds));
  ASSERT_EQ(hosts.judged().size(), 1U);
  EXPECT_NEAR(hosts.judged()[0].judged.factor, 1.01, 1e-12);
}

TEST(HostBaseline, WhatItDoesNotHaveIsLeftOut) {
  HostBaseline hosts = ten_runs();
  CaseResult failed = latency(200e-9);
  failed.status = Status::failed;
  hosts.add(run_of_host("a"), failed);
  hosts.add(run_of_host("a"), sample(kLatency, "another_metric", "s", 1));
  hosts.add(run_of_host("a"), sample("micro/gemm rows=64", "time", "s", 1));
  scalemark::Run two = run_of_host("a");
  two.ranks.push_back(run_of_host("b").ranks[0]);
  hosts.add(two, latency(200e-9));
  EXPECT_TRUE(hosts.judged().empty());
}

TEST(HostBaseline, OtherMachinesAreRefused) {
  HostBaseline hosts = ten_runs();
  EXPECT_THROW(hosts.add(run_of_host("a", "another CPU"), latency(100e-9)), InputError);
}

}  // namespace
}  // namespace scalemark::analysis
