// SPDX-License-Identifier: Apache-2.0
// Which cases make a curve, and what its points say.
#include "common/report/scaling.hpp"

#include <sstream>

#include <gtest/gtest.h>

namespace scalemark::report {
namespace {

CaseResult training(std::int64_t ranks, std::uint64_t seconds, const char* layout = "nchw") {
  CaseResult result;
  result.name = "imaging/train";
  result.params = {{"ranks", ranks}, {"layout", std::string(layout)}};
  result.key = make_key(result.name, result.params);
  Metric total;
  total.name = "total_time";
  total.unit = std::string("s");  // GCC 12 warns of the assignment without reason
  total.samples.ranks = total.samples.iterations = 1;
  total.samples.values = std::vector<std::uint64_t>{seconds * 1'000'000'000};
  total.samples.scale = 1e-9;
  result.metrics.push_back(total);
  return result;
}

TEST(Scaling, SpeedUpAndEfficiencyAgainstOneRank) {
  scalemark::Run run;
  // The study's fp32 row: 3721 s on one GPU, 1256 s on four.
  run.cases = {training(4, 1256), training(1, 3721), training(1, 100, "nhwc")};
  const auto curves = scaling_curves(run);
  ASSERT_EQ(curves.size(), 1U) << "one point is no curve";
  EXPECT_EQ(curves[0].key, "imaging/train layout=nchw");
  ASSERT_EQ(curves[0].points.size(), 2U);
  EXPECT_EQ(curves[0].points[0].workers, 1);
  EXPECT_DOUBLE_EQ(curves[0].points[0].speed_up, 1);
  EXPECT_DOUBLE_EQ(curves[0].points[1].speed_up, 3721.0 / 1256);
  EXPECT_DOUBLE_EQ(curves[0].points[1].efficiency, 3721.0 / 1256 / 4);
  std::ostringstream text;
  print_scaling(run, text);
  EXPECT_NE(text.str().find("speed-up 2.96   efficiency 0.741"), std::string::npos) << text.str();
}

TEST(Scaling, TheFewestRanksArePerfectWhereOneIsMissing) {
  scalemark::Run run;
  run.cases = {training(2, 100), training(8, 50)};
  const auto points = scaling_curves(run).at(0).points;
  EXPECT_DOUBLE_EQ(points[0].efficiency, 1);
  EXPECT_DOUBLE_EQ(points[1].speed_up, 4);
  EXPECT_DOUBLE_EQ(points[1].efficiency, 0.5);
}

TEST(Scaling, FailedCasesAndThoseWithoutATotalAreLeftOut) {
  scalemark::Run run;
  run.cases = {training(1, 10), training(2, 6), training(4, 5)};
  run.cases[1].status = Status::failed;
  run.cases[2].metrics.clear();
  EXPECT_TRUE(scaling_curves(run).empty());
  std::ostringstream text;
  print_scaling(run, text);
  EXPECT_TRUE(text.str().empty()) << text.str();
}

TEST(Scaling, ReplicasOfOneProcessAreWorkers) {
  scalemark::Run run;
  run.cases = {training(1, 10), training(1, 6)};
  run.cases[0].params["replicas"] = std::int64_t{1};
  run.cases[1].params["replicas"] = std::int64_t{2};
  run.cases[1].key += " replicas=2";
  const auto curves = scaling_curves(run);
  ASSERT_EQ(curves.size(), 1U);
  EXPECT_EQ(curves[0].points[1].workers, 2);
}

}  // namespace
}  // namespace scalemark::report
