// SPDX-License-Identifier: Apache-2.0
// micro/overlap as `scalemark run` runs it: what it records of a collective and products beside it.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/run_case.hpp"

namespace scalemark::micro {
namespace {

using test::root;

std::vector<CaseResult> overlaps(std::vector<std::string> axes) {
  axes.insert(axes.end(), {"backend=mpi", "memory=host", "precision=fp64"});
  return test::run_cases("micro/overlap", axes);
}

std::vector<double> values_of(const CaseResult& result, const std::string& metric) {
  const Samples& samples = result.find(metric)->samples;
  std::vector<double> values;
  for (std::size_t rank = 0; rank < samples.ranks; ++rank) {
    for (std::size_t i = 0; i < samples.iterations; ++i) values.push_back(samples.value(rank, i));
  }
  return values;
}

TEST(Overlap, RatiosFollowFromTheTimesOfTheSameSample) {
  const auto results = overlaps({"collective=allreduce,allgather,reduce_scatter,alltoall",
                                 "bytes=64K", "rows=64", "products=3", "probes=0,2"});
  if (!root()) return;
  if (test::world().size() == 1) {
    for (const CaseResult& result : results) EXPECT_EQ(result.status, Status::skipped);
    return;
  }
  ASSERT_EQ(results.size(), 8U);
  for (const CaseResult& result : results) {
    ASSERT_EQ(result.status, Status::ok) << result.key << ": " << result.reason;
    EXPECT_EQ(result.verification.wrong, 0U) << result.key;
    EXPECT_EQ(result.primary_metric, "overall_time");
    EXPECT_DOUBLE_EQ(result.find("achieved_flops")->numerator, 3 * 2.0 * 64 * 64 * 64);
    const auto latency = values_of(result, "latency"), compute = values_of(result, "compute_time");
    const auto loaded_latency = values_of(result, "loaded_latency");
    const auto loaded_compute = values_of(result, "loaded_compute_time");
    const auto overall = values_of(result, "overall_time");
    const auto slower_latency = values_of(result, "latency_slowdown");
    const auto slower_compute = values_of(result, "compute_slowdown");
    const auto hidden = values_of(result, "overlap_ratio");
    ASSERT_EQ(latency.size(), hidden.size());
    for (std::size_t i = 0; i < latency.size(); ++i) {
      EXPECT_NEAR(slower_latency[i], loaded_latency[i] / latency[i], 1e-9);
      EXPECT_NEAR(slower_compute[i], loaded_compute[i] / compute[i], 1e-9);
      EXPECT_NEAR(hidden[i], 1 - (overall[i] - compute[i]) / latency[i], 1e-6);
      EXPECT_GE(overall[i] + 1e-9, std::max(loaded_latency[i], loaded_compute[i]));
      EXPECT_GT(compute[i], 0);
    }
  }
}

TEST(Overlap, ProductsLastAsLongAsTheCollective) {
  const auto results = overlaps({"collective=allreduce", "bytes=1K,16M", "rows=64"});
  if (!root() || test::world().size() == 1) return;
  ASSERT_EQ(results.size(), 2U);
  for (const CaseResult& result : results) ASSERT_EQ(result.status, Status::ok) << result.reason;
  const auto products = [&](std::size_t i) {
    return std::get<std::int64_t>(results[i].facts.at("products"));
  };
  EXPECT_GE(products(0), 1);
  EXPECT_GT(products(1), 4 * products(0)) << "16,384 times as many bytes";
}

}  // namespace
}  // namespace scalemark::micro
