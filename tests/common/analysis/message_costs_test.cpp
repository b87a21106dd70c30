// SPDX-License-Identifier: Apache-2.0
// Which cases form a sweep, and which sweeps have a latency and a bandwidth.
#include "common/analysis/message_costs.hpp"

#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/growth.hpp"

namespace scalemark::analysis {
namespace {

/// Latency 1.5 us, bandwidth 12.5 GB/s.
double seconds_for(double bytes) { return 1.5e-6 + bytes / 12.5e9; }

struct Sizes {
  std::vector<double> bytes, seconds;
};

Sizes sizes_up_to(double last, double step = 2) {
  Sizes sizes;
  for (double size = 8; size <= last; size *= step) {
    sizes.bytes.push_back(size);
    sizes.seconds.push_back(seconds_for(size));
  }
  return sizes;
}

std::optional<MessageCost> cost_of(const Sizes& sizes) {
  return message_cost(sizes.bytes, sizes.seconds);
}

CaseResult message(std::int64_t bytes, double seconds) {
  CaseResult result;
  result.name = "micro/pingpong";
  result.params = {{"bytes", bytes}, {"ranks", std::int64_t{2}}};
  result.key = make_key(result.name, result.params);
  Metric latency;
  latency.name = "latency";
  latency.unit = std::string("s");  // GCC 12 gives a false warning for the plain assignment
  latency.samples.ranks = latency.samples.iterations = 1;
  latency.samples.values =
      std::vector<std::uint64_t>{static_cast<std::uint64_t>(std::llround(seconds * 1e12))};
  latency.samples.scale = 1e-12;
  result.primary_metric = latency.name;
  result.metrics.push_back(latency);
  return result;
}

CaseResult only_bandwidth(std::int64_t bytes, double seconds) {
  CaseResult result = message(bytes, seconds);
  Metric& metric = result.metrics[0];
  metric.name = "bandwidth";
  metric.unit = std::string("By/s");
  metric.kind = MetricKind::ratio;
  metric.samples.values = std::vector<double>{static_cast<double>(bytes) / seconds};
  metric.samples.scale = 1;
  result.primary_metric = metric.name;
  return result;
}

std::vector<Sweep> sweeps_among(const std::vector<CaseResult>& results) {
  std::vector<SweepCase> cases;
  for (const CaseResult& one : results) {
    if (const auto taken = sweep_case(one)) cases.push_back(*taken);
  }
  return sweeps_of(cases);
}

TEST(MessageCosts, OfTimesAndOfBandwidthsAlone) {
  for (const auto make : {message, only_bandwidth}) {
    std::vector<CaseResult> results;
    for (std::int64_t size = 8 << 20; size >= 8; size /= 4)
      results.push_back(make(size, seconds_for(static_cast<double>(size))));
    const std::vector<Sweep> sweeps = sweeps_among(results);
    ASSERT_EQ(sweeps.size(), 1U);
    EXPECT_EQ(sweeps[0].name, "micro/pingpong ranks=2");
    EXPECT_EQ(sweeps[0].keys.size(), results.size());
    EXPECT_EQ(sweeps[0].cost.problem, "");
    EXPECT_NEAR(sweeps[0].cost.fit.latency(), 1.5e-6, 1e-10);
    EXPECT_NEAR(sweeps[0].cost.fit.bandwidth(), 12.5e9, 1e6);
    EXPECT_NEAR(sweeps[0].cost.fit.half_bandwidth_bytes(), 18750, 2);
    std::ostringstream text;
    print_message_costs(sweeps, text);
    EXPECT_NE(
        text.str().find("latency 1.500 us, bandwidth 12.50 GB/s, n1/2 18.31 KiB (residuals 0.0 %)"),
        std::string::npos)
        << text.str();
    const auto json = message_cost_json(sweeps[0]);
    EXPECT_EQ(json["follows_model"], true);
    EXPECT_NEAR(json["bandwidth"].get<double>(), 12.5e9, 1e6);
  }
}

TEST(MessageCosts, WhatIsNotOfTheFormHasNoNumbers) {
  Sizes quadratic = sizes_up_to(1 << 20, 4);
  for (std::size_t i = 0; i < quadratic.bytes.size(); ++i)
    quadratic.seconds[i] = 1e-6 + std::pow(quadratic.bytes[i], 1.6) / 1e9;
  const auto cost = cost_of(quadratic);
  ASSERT_TRUE(cost);
  EXPECT_NE(cost->problem.find("residuals of"), std::string::npos) << cost->problem;
  const Sweep sweep{"x", {}, *cost};
  EXPECT_TRUE(message_cost_json(sweep)["latency"].is_null());
  EXPECT_TRUE(message_cost_json(sweep)["regimes"].empty());
  EXPECT_EQ(message_cost_text(*cost), "does not follow the model: " + cost->problem);

  Sizes flat = sizes_up_to(4096);
  for (double& seconds : flat.seconds) seconds = 2e-6;
  EXPECT_EQ(cost_of(flat)->problem, "the time does not grow with the size");

  Sizes pure = sizes_up_to(1 << 20);
  for (std::size_t i = 0; i < pure.bytes.size(); ++i) pure.seconds[i] = pure.bytes[i] / 1e9;
  EXPECT_EQ(cost_of(pure)->problem, "the latency is too small to fit at these sizes");

  // n1/2 is 18750 bytes.
  EXPECT_EQ(cost_of(sizes_up_to(32768))->problem,
            "the largest size is too small to reach the bandwidth");
  EXPECT_EQ(cost_of(sizes_up_to(65536))->problem, "");
}

TEST(MessageCosts, LeavesOutAnOverflowingCacheAndNoMore) {
  Sizes sizes = sizes_up_to(4 << 20);  // 20 sizes
  sizes.seconds[19] *= 2.3;
  const auto cost = cost_of(sizes);
  ASSERT_TRUE(cost);
  EXPECT_EQ(cost->problem, "");
  EXPECT_EQ(cost->left_out, 1U);
  EXPECT_EQ(cost->last_bytes, 2 << 20);
  EXPECT_NEAR(cost->fit.bandwidth(), 12.5e9, 1e3);
  EXPECT_NE(message_cost_text(*cost).find("up to 2 MiB, 1 larger left out"), std::string::npos);
  // The smallest sizes are never left out.
  Sizes early = sizes_up_to(4 << 20);
  for (std::size_t i = 0; i < early.seconds.size(); ++i) early.seconds[i] *= i % 2 == 0 ? 1 : 2;
  EXPECT_NE(cost_of(early)->problem, "");
  EXPECT_EQ(cost_of(early)->left_out, 0U);
}

TEST(MessageCosts, NeedsFiveSizesAndGoodValues) {
  Sizes few = sizes_up_to(1 << 20, 32);  // 8, 256, 8192, 262144
  ASSERT_EQ(few.bytes.size(), 4U);
  EXPECT_FALSE(cost_of(few));
  EXPECT_FALSE(cost_of({}));
  Sizes bad = sizes_up_to(4096);
  bad.seconds[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(cost_of(bad));
}

TEST(MessageCosts, CasesWithoutSizeTimeOrResultAreLeftOut) {
  CaseResult failed = message(8, 1e-6), sizeless = message(8, 1e-6), negative = message(-8, 1e-6),
             timeless = message(8, 1e-6);
  failed.status = Status::failed;
  sizeless.params.erase("bytes");
  timeless.metrics.clear();
  for (const CaseResult& one : {failed, sizeless, negative, timeless})
    EXPECT_FALSE(sweep_case(one));
  EXPECT_TRUE(sweep_case(message(8, 1e-6)));
}

// Follows no model, so a quarter of the sizes is left out step by step.
TEST(MessageCosts, TakeTimeInProportionToTheSizes) {
  const auto work = [](std::size_t n) {
    Sizes sizes;
    for (std::size_t i = 1; i <= n; ++i) {
      sizes.bytes.push_back(static_cast<double>(64 * i));
      sizes.seconds.push_back(seconds_for(sizes.bytes.back()) * (i % 2 == 0 ? 1 : 2));
    }
    const auto cost = cost_of(sizes);
    ASSERT_TRUE(cost);
    EXPECT_NE(cost->problem, "");
  };
  EXPECT_LT(test::growth(12'500, work), test::kMostGrowth);
  EXPECT_LT(test::growth(125, work), test::kMostGrowth);
}

}  // namespace
}  // namespace scalemark::analysis
