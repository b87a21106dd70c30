// SPDX-License-Identifier: Apache-2.0
// Metrics of totals made by hand, of ranks that ran different kernels; why a CPU is not watched.
#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/torch/case_profile.hpp"
#include "tests/support/run_case.hpp"

namespace scalemark::torch_support {
namespace {

constexpr const char* kGather =
    "_Z31ncclDevKernel_AllGather_RING_LL24ncclDevKernelArgsStorageILm4096EE";
constexpr const char* kSymmetric = "_Z30ncclSymkDevKernel_AllGather_LL21ncclSymkDevWorkArgs4K";
constexpr std::uint64_t kSecond = 1'000'000'000;

/// Of a rank: seconds 10 to 20 are watched.
profile::ActivityTotals totals(std::uint64_t rank) {
  profile::ActivityCounter counter;
  const auto at = [](std::uint64_t second) { return second * kSecond; };
  counter.add_copy(1, 1000 * (rank + 1), at(10), at(12));
  counter.add_copy(1, 24, at(11), at(13));
  counter.add_copy(8, 5, at(15), at(16));
  counter.add_call("cudaLaunchKernel", 1, at(10), at(13));
  counter.add_call("cudaLaunchKernel", 2, at(12), at(14 + rank));
  counter.add_call("cudaMalloc", 1, at(13), at(14));
  counter.add_kernel("gemm", at(12), at(14));
  counter.add_kernel(rank == 0 ? kGather : kSymmetric, at(13), at(16));
  return counter.totals(10 * kSecond);
}

void expect_metric(const CaseResult& result, const std::string& name, const std::string& unit,
                   RankReduce reduce, std::vector<double> of_ranks) {
  const Metric* metric = result.find(name);
  ASSERT_NE(metric, nullptr) << name;
  EXPECT_EQ(metric->unit, unit) << name;
  EXPECT_EQ(metric->rank_reduce, reduce) << name;
  EXPECT_FALSE(metric->formula.empty()) << name;
  ASSERT_EQ(metric->samples.iterations, 1U) << name;
  for (std::size_t rank = 0; rank < std::min(metric->samples.ranks, of_ranks.size()); ++rank)
    EXPECT_NEAR(metric->samples.value(rank, 0), of_ranks[rank], 1e-12) << name << " of " << rank;
}

CaseResult record() {
  SessionOptions options;
  options.placement = hardware::Policy::none;
  Session session(test::world(), options);
  Registry registry;
  registry.add(Benchmark("test/profile", [](Case& c) {
    record_activity(c, totals(static_cast<std::uint64_t>(c.rank())));
  }));
  test::KeepingSink sink;
  Runner runner(session, sink, {});
  EXPECT_EQ(runner.run(make_plan(registry, {}, session.context())).ok, 1U);
  return sink.results.empty() ? CaseResult{} : sink.results[0];
}

TEST(CaseProfile, TotalsBecomeMetrics) {
  const CaseResult result = record();
  if (!test::root()) return;
  using enum RankReduce;
  expect_metric(result, "profile_time", "s", max, {10, 10});
  expect_metric(result, "bytes_htod", "By", sum, {1024, 2024});
  expect_metric(result, "copies_htod", "1", sum, {2, 2});
  expect_metric(result, "time_htod", "s", max, {4, 4});
  expect_metric(result, "share_htod", "1", mean, {0.3, 0.3});
  expect_metric(result, "bytes_dtoh", "By", sum, {0, 0});
  expect_metric(result, "bytes_dtod", "By", sum, {5, 5});
  expect_metric(result, "share_copies", "1", mean, {0.4, 0.4});
  EXPECT_EQ(result.find("bytes_ptop"), nullptr) << "no rank had any";
  expect_metric(result, "calls_cuda_launch_kernel", "1", sum, {2, 2});
  expect_metric(result, "time_cuda_launch_kernel", "s", max, {5, 6});
  expect_metric(result, "share_cuda_launch_kernel", "1", mean, {0.4, 0.5});
  for (const char* name :
       {"memcpy_async", "stream_synchronize", "event_synchronize", "event_destroy"}) {
    expect_metric(result, std::string("calls_cuda_") + name, "1", sum, {0, 0});
  }
  expect_metric(result, "calls_api", "1", sum, {3, 3});
  expect_metric(result, "time_api", "s", max, {6, 7});
  expect_metric(result, "share_api", "1", mean, {0.4, 0.5});
  expect_metric(result, "share_api_thread", "1", mean, {0.4, 0.4});
  expect_metric(result, "kernels", "1", sum, {2, 2});
  expect_metric(result, "time_kernels", "s", max, {5, 5});
  expect_metric(result, "share_kernels", "1", mean, {0.4, 0.4});
  expect_metric(result, "time_nccl", "s", max, {3, 3});
  expect_metric(result, "share_nccl_exposed", "1", mean, {0.2, 0.2});
  expect_metric(result, "share_device_busy", "1", mean, {0.6, 0.6});
  const std::vector<Column>& columns = result.tables.at("profile").columns;
  ASSERT_EQ(columns[0].name, "rank");
  EXPECT_EQ(std::get<std::vector<std::uint64_t>>(columns[0].values).back(),
            result.metrics[0].samples.ranks - 1);
  EXPECT_EQ(to_text(result.facts.at("profile_calls")),
            "2 x cudaLaunchKernel 5 s, 1 x cudaMalloc 1 s");
}

TEST(CaseProfile, AKernelOfOneRankIsAMetricOfAll) {
  const CaseResult result = record();
  if (!test::root()) return;
  expect_metric(result, "time_nccl_allgather_ring_ll", "s", RankReduce::max, {3, 0});
  expect_metric(result, "kernels_nccl_allgather_ring_ll", "1", RankReduce::sum, {1, 0});
  if (test::world().size() == 1) return;
  expect_metric(result, "time_nccl_symk_allgather_ll", "s", RankReduce::max, {0, 3});
}

// CUPTI keeps one state for a process; LibTorch brings it too.
TEST(CaseProfile, ThereIsOneCopyOfCupti) {
  profile::why_not();
  std::set<std::string> files;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("libcupti.so") != std::string::npos) files.insert(line.substr(line.find('/')));
  }
  EXPECT_EQ(files.size(), 1U) << ::testing::PrintToString(files);
}

TEST(CaseProfile, ACpuIsNotWatched) {
  const auto function = [](Case& c) {
    CaseProfile profile(c);
    profile.start();
    profile.stop();
    profile.record(true);
  };
  Registry& registry = Registry::instance();
  registry.add(Benchmark("test/watched", function))
      .axis_boolean("profile", {.defaults = {false}, .implied = false})
      .compute_axes();
  const auto without = test::run_case("test/watched", {});
  const auto with = test::run_case("test/watched", {"profile=true"});
  EXPECT_EQ(without.outcome.ok, 1U);
  EXPECT_EQ(with.outcome.skipped, 1U);
  if (!test::root()) return;
  EXPECT_TRUE(without.result().metrics.empty()) << "nothing is recorded unless asked for";
  EXPECT_EQ(without.result().key.find("profile"), std::string::npos) << without.result().key;
  EXPECT_NE(with.result().key.find("profile=true"), std::string::npos) << with.result().key;
  EXPECT_EQ(with.result().reason, "profile=true needs a GPU");
}

}  // namespace
}  // namespace scalemark::torch_support
