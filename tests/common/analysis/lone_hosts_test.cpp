// SPDX-License-Identifier: Apache-2.0
// Hosts by themselves that are slow always, mostly, or at times.
#include "common/analysis/lone_hosts.hpp"

#include <gtest/gtest.h>

namespace scalemark::analysis {
namespace {

using fleet::NodeVerdict;
using LoneSamples = std::vector<double>;

Run run_of_host(const std::string& host) {
  Run run;
  run.environment.common["cpu_model"] = "a CPU";
  RankInfo rank;
  rank.node = host;
  rank.local_rank = 0;
  run.ranks = {rank};
  return run;
}

/// Chased pointers of one rank with these samples.
CaseResult latencies(const LoneSamples& values) {
  CaseResult result;
  result.name = "micro/memory_latency";
  result.key = make_key(result.name, result.params);
  result.primary_metric = "load_latency";
  Metric latency;
  latency.name = "load_latency";
  latency.samples.ranks = 1;
  latency.samples.iterations = values.size();
  latency.samples.warmup.assign(values.size(), 0);
  latency.samples.values = values;
  result.metrics.push_back(latency);
  return result;
}

LoneSamples fast_and_slow(std::size_t fast, std::size_t slow, double factor) {
  LoneSamples all(fast, 1);
  all.insert(all.end(), slow, factor);
  return all;
}

/// What is said of host "odd" with these runs beside seven others that always take a second.
LoneHost beside_others(const std::vector<LoneSamples>& runs) {
  LoneHosts hosts;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g"})
    hosts.add(run_of_host(name), latencies(fast_and_slow(20, 0, 1)));
  for (const LoneSamples& one : runs) hosts.add(run_of_host("odd"), latencies(one));
  for (const LoneHost& one : hosts.judged()) {
    if (one.host == "odd") return one;
    EXPECT_EQ(one.judged.verdict, NodeVerdict::ok) << one.host;
  }
  ADD_FAILURE() << "the host is not judged";
  return {};
}

TEST(LoneHosts, WhoIsSlowAtTimesIsSuspect) {
  const LoneHost odd = beside_others({fast_and_slow(3, 17, 1.5)});
  EXPECT_EQ(odd.judged.verdict, NodeVerdict::suspect);
  EXPECT_TRUE(odd.at_times);
  EXPECT_DOUBLE_EQ(odd.judged.factor, 1.5);
  EXPECT_EQ(odd.component, kHostMemory);
}

TEST(LoneHosts, WhoIsAlwaysOrMostlySlowIsBad) {
  for (const auto& [fast, factor] : {std::pair(0, 1.5), std::pair(1, 1.5), std::pair(3, 3.0)}) {
    SCOPED_TRACE(std::to_string(fast) + " fast, the others " + std::to_string(factor));
    const auto count = static_cast<std::size_t>(fast);
    const LoneHost odd = beside_others({fast_and_slow(count, 20 - count, factor)});
    EXPECT_EQ(odd.judged.verdict, NodeVerdict::bad);
    EXPECT_FALSE(odd.at_times);
  }
}

TEST(LoneHosts, FastSamplesOfEachRunCount) {
  for (const auto& runs : {std::vector{fast_and_slow(0, 20, 1.5), fast_and_slow(4, 16, 1.6)},
                           std::vector{fast_and_slow(4, 16, 1.6), fast_and_slow(0, 20, 1.5)}}) {
    const LoneHost odd = beside_others(runs);
    EXPECT_EQ(odd.judged.verdict, NodeVerdict::suspect);
    EXPECT_DOUBLE_EQ(odd.judged.factor, 1.5) << "that of the faster run";
  }
}

}  // namespace
}  // namespace scalemark::analysis
