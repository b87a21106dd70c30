// SPDX-License-Identifier: Apache-2.0
// Which cases form a scaling curve, and the numbers of its points.
#include "common/analysis/scaling.hpp"

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace scalemark::analysis {
namespace {

CaseResult training(std::int64_t ranks, std::uint64_t seconds, const char* layout = "nchw") {
  CaseResult result;
  result.name = "imaging/train";
  result.params = {{"ranks", ranks}, {"layout", std::string(layout)}};
  result.key = make_key(result.name, result.params);
  Metric total;
  total.name = "total_time";
  total.unit = std::string("s");  // GCC 12 gives a false warning for the plain assignment
  total.samples.ranks = total.samples.iterations = 1;
  total.samples.values = std::vector<std::uint64_t>{seconds * 1'000'000'000};
  total.samples.scale = 1e-9;
  result.metrics.push_back(total);
  return result;
}

/// A fine-tuning case of `steps` steps with two rows per rank.
CaseResult fixed_steps(std::int64_t ranks, std::uint64_t seconds, std::size_t steps,
                       double tokens_per_second) {
  CaseResult result = training(ranks, seconds);
  result.params["batch"] = std::int64_t{2};
  Metric step = result.metrics[0];
  step.name = "step_time";
  step.samples.iterations = steps;
  step.samples.values = std::vector<std::uint64_t>(steps, seconds * 1'000'000'000 / steps);
  Metric rate = result.metrics[0];
  rate.name = "tokens_per_second";
  rate.unit = std::string("{token}/s");
  rate.kind = MetricKind::ratio;
  rate.samples.values = std::vector<double>{tokens_per_second};
  rate.samples.scale = 1;
  result.metrics.push_back(step);
  if (tokens_per_second > 0) result.metrics.push_back(rate);
  return result;
}

CaseResult with_images(CaseResult result, std::int64_t images) {
  result.facts["images_seen"] = images;
  return result;
}

std::vector<ScalingCurve> curves_of(const std::vector<std::vector<CaseResult>>& runs) {
  std::vector<std::vector<ScalingCase>> cases;
  for (const std::vector<CaseResult>& run : runs) {
    cases.emplace_back();
    for (const CaseResult& one : run) {
      if (const auto taken = scaling_case(one)) cases.back().push_back(*taken);
    }
  }
  return scaling_curves(cases);
}

std::string text_of(const std::vector<ScalingCurve>& curves) {
  std::ostringstream text;
  print_scaling(curves, text);
  return text.str();
}

TEST(Scaling, SpeedUpAndEfficiencyAgainstOneRank) {
  // The study's fp32 row: 3721 s on one GPU, 1256 s on four.
  const auto curves = curves_of({{training(4, 1256), training(1, 3721), training(1, 100, "nhwc")}});
  ASSERT_EQ(curves.size(), 1U) << "one point is no curve";
  EXPECT_EQ(curves[0].key, "imaging/train layout=nchw");
  EXPECT_EQ(curves[0].kind, ScalingKind::strong);
  ASSERT_EQ(curves[0].points.size(), 2U);
  EXPECT_EQ(curves[0].points[0].workers, 1);
  EXPECT_DOUBLE_EQ(curves[0].points[0].speed_up, 1);
  EXPECT_FALSE(curves[0].points[0].serial_fraction);
  EXPECT_NEAR(curves[0].points[1].speed_up, 3721.0 / 1256, 1e-9);
  EXPECT_NEAR(curves[0].points[1].efficiency, 3721.0 / 1256 / 4, 1e-9);
  // (1256 / 3721 - 1/4) / (1 - 1/4)
  EXPECT_NEAR(*curves[0].points[1].serial_fraction, 0.116725, 1e-6);
  EXPECT_FALSE(curves[0].points[1].efficiency_interval) << "one run says nothing of runs";
  const std::string text = text_of(curves);
  EXPECT_NE(text.find("speed-up 2.96   efficiency 0.741   serial fraction 0.117"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("do not store the amount of work; assumed equal for all cases"),
            std::string::npos)
      << text;
}

TEST(Scaling, WorkThatGrowsWithTheRanksIsWeak) {
  // 50 steps of 2 rows per rank: 100 and 400 rows.
  const auto curves = curves_of({{fixed_steps(1, 70, 50, 200), fixed_steps(4, 80, 50, 640)}});
  ASSERT_EQ(curves.size(), 1U);
  EXPECT_EQ(curves[0].kind, ScalingKind::weak);
  EXPECT_EQ(curves[0].basis, "tokens_per_second");
  EXPECT_EQ(curves[0].points[1].work, 400);
  EXPECT_NEAR(curves[0].points[1].speed_up, 3.2, 1e-12);
  EXPECT_NEAR(curves[0].points[1].efficiency, 0.8, 1e-12);
  EXPECT_FALSE(curves[0].points[1].serial_fraction);
  const std::string text = text_of(curves);
  EXPECT_NE(
      text.find(
          "weak: the work grows in proportion to the workers, from 100 to 400 (samples: steps x"),
      std::string::npos)
      << text;
  EXPECT_EQ(text.find("serial"), std::string::npos) << text;
}

TEST(Scaling, WithoutARateTheWorkByTimeIsOne) {
  const auto curves = curves_of({{fixed_steps(1, 70, 50, 0), fixed_steps(4, 80, 50, 0)}});
  EXPECT_EQ(curves.at(0).basis, "work / total_time");
  EXPECT_NEAR(curves[0].points[1].efficiency, 70.0 / 80, 1e-12);
}

TEST(Scaling, OneEpochInFewerStepsIsStrong) {
  // 100 rows as 50 steps of one rank, 12 steps of four (4 rows are left over).
  const auto curves = curves_of({{fixed_steps(1, 70, 50, 200), fixed_steps(4, 20, 12, 640)}});
  EXPECT_EQ(curves.at(0).kind, ScalingKind::strong) << curves[0].reason;
  EXPECT_EQ(curves[0].basis, "total_time");
  EXPECT_NEAR(curves[0].points[1].efficiency, 70.0 / 20 / 4, 1e-12);
}

TEST(Scaling, CountedImagesDecideBeforeAllElse) {
  // ddp_full: each rank computes the whole data set; ddp_ds: its share.
  EXPECT_EQ(curves_of({{with_images(training(1, 10), 6000), with_images(training(2, 11), 12000)}})
                .at(0)
                .kind,
            ScalingKind::weak);
  EXPECT_EQ(curves_of({{with_images(training(1, 10), 6000), with_images(training(2, 6), 5984)}})
                .at(0)
                .kind,
            ScalingKind::strong);
}

TEST(Scaling, WorkInBetweenIsNeither) {
  const auto curves =
      curves_of({{with_images(training(1, 10), 6000), with_images(training(4, 10), 12000)}});
  EXPECT_EQ(curves.at(0).kind, ScalingKind::mixed);
  EXPECT_NEAR(curves[0].points[1].efficiency, 0.5, 1e-12);
  EXPECT_FALSE(curves[0].points[1].serial_fraction);
}

TEST(Scaling, IntervalsAreOverRuns) {
  // Times of 10 and 5 s, each e^+-0.01 over two runs: sd ln T = 0.01 sqrt(2), of a mean of two
  // 0.01, of the ratio of means 0.01 sqrt(2); Satterthwaite's df is 2, t = 4.30265.
  const auto timed = [](std::int64_t ranks, double seconds) {
    CaseResult one = training(ranks, 1);
    one.metrics[0].samples.values =
        std::vector<std::uint64_t>{static_cast<std::uint64_t>(std::llround(seconds * 1e9))};
    return one;
  };
  const double up = std::exp(0.01);
  const auto curves =
      curves_of({{timed(1, 10 * up), timed(2, 5 / up)}, {timed(1, 10 / up), timed(2, 5 * up)}});
  const ScalingPoint& point = curves.at(0).points.at(1);
  EXPECT_EQ(point.runs, 2U);
  EXPECT_NEAR(point.time, 5, 1e-8);
  EXPECT_NEAR(point.efficiency, 1, 1e-8);
  const double reach = std::exp(4.302653 * 0.01 * std::sqrt(2.0));
  EXPECT_NEAR(point.efficiency_interval->high, reach, 1e-6);
  EXPECT_NEAR(point.efficiency_interval->low, 1 / reach, 1e-6);
  EXPECT_NEAR(point.speed_up_interval->high, 2 * reach, 1e-6);
  EXPECT_NEAR(*point.serial_fraction, 0, 1e-8);
  // (1/S) sd(ln S) / (1 - 1/2) = 0.01 sqrt(2)
  EXPECT_NEAR(point.serial_fraction_interval->high, 4.302653 * 0.01 * std::sqrt(2.0), 1e-6);
}

TEST(Scaling, TheFewestRanksArePerfectWhereOneIsMissing) {
  const auto points = curves_of({{training(2, 100), training(8, 50)}}).at(0).points;
  EXPECT_DOUBLE_EQ(points[0].efficiency, 1);
  EXPECT_NEAR(points[1].speed_up, 4, 1e-12);
  EXPECT_NEAR(points[1].efficiency, 0.5, 1e-12);
}

TEST(Scaling, FailedCasesAndThoseWithoutATotalAreLeftOut) {
  std::vector<CaseResult> cases = {training(1, 10), training(2, 6), training(4, 5)};
  cases[1].status = Status::failed;
  cases[2].metrics.clear();
  EXPECT_TRUE(curves_of({cases}).empty());
  EXPECT_EQ(text_of(curves_of({cases})), "");
}

TEST(Scaling, WorkersBeyondReasonMakeNoCurve) {
  const std::int64_t much = std::int64_t{1} << 62;
  std::vector<CaseResult> cases = {training(1, 10), training(much, 6)};
  cases[1].params["replicas"] = much;
  EXPECT_TRUE(curves_of({cases}).empty());
}

TEST(Scaling, ReplicasOfOneProcessAreWorkers) {
  std::vector<CaseResult> cases = {training(1, 10), training(1, 6)};
  cases[0].params["replicas"] = std::int64_t{1};
  cases[1].params["replicas"] = std::int64_t{2};
  cases[1].key += " replicas=2";
  const auto curves = curves_of({cases});
  ASSERT_EQ(curves.size(), 1U);
  EXPECT_EQ(curves[0].points[1].workers, 2);
}

}  // namespace
}  // namespace scalemark::analysis
