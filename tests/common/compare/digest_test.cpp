// SPDX-License-Identifier: Apache-2.0
// Reduction of a run to one value per case.
#include "common/compare/digest.hpp"

#include <gtest/gtest.h>

#include "tests/common/compare/synthetic.hpp"

namespace scalemark::compare {
namespace {

TEST(Digest, TakesTheMedianOfThePrimaryMetric) {
  const RunDigest run = test::digest_of("u", {test::measured("m/x", 4096, {100, 300, 200})});
  ASSERT_EQ(run.keys.size(), 1U);
  const RowDigest& row = run.rows.at("m/x bytes=4096 ranks=2");
  EXPECT_EQ(row.metric, "latency");
  EXPECT_EQ(row.unit, "s");
  EXPECT_DOUBLE_EQ(row.value, 200e-9);
  EXPECT_DOUBLE_EQ(row.relative_resolution, 1.0 / 200);
}

TEST(Digest, KnowsTheClockStepOfARateAndOfABatch) {
  CaseResult one = test::measured("m/x", 4096, {200});
  one.primary_metric = "bandwidth";
  one.metrics[0].samples.inner = 10;
  const RunDigest run = test::digest_of("u", {one});
  const RowDigest& row = run.rows.begin()->second;
  EXPECT_DOUBLE_EQ(row.value, 4096 / 20e-9);
  EXPECT_DOUBLE_EQ(row.relative_resolution, 1.0 / 200);
  one.metrics[0].samples.values = std::vector<double>{200};
  one.primary_metric = std::string("latency");
  EXPECT_EQ(test::digest_of("u", {one}).rows.begin()->second.relative_resolution, 0);
}

TEST(Digest, WrongDataIsAFailure) {
  CaseResult one = test::measured("m/x", 1, {200});
  one.verification.wrong = 2;
  const RunDigest run = test::digest_of("u", {one});
  EXPECT_EQ(run.rows.begin()->second.status, Status::failed);
  EXPECT_EQ(run.rows.begin()->second.reason, "wrong data: 2 of 100 elements");
}

TEST(Digest, ACaseWithoutItsPrimaryMetricHasNoValue) {
  CaseResult one = test::measured("m/x", 1, {200});
  one.primary_metric = "accuracy";
  EXPECT_TRUE(std::isnan(test::digest_of("u", {one}).rows.begin()->second.value));
}

TEST(Digest, StepsOfAJobAreRunsOfOneJob) {
  scalemark::Run run = test::run_of("u", {test::measured("m/x", 1, {200})});
  EXPECT_EQ(digest(run, "u").job, "");
  run.scheduler = {{"SLURM_JOB_ID", "7"}, {"SLURM_STEP_ID", "0"}};
  const std::string first = digest(run, "u").job;
  run.scheduler["SLURM_STEP_ID"] = "1";
  EXPECT_EQ(digest(run, "u").job, first);
  EXPECT_EQ(digest(run, "u").nodes, "node1");
  run.scheduler["SLURM_JOB_ID"] = "8";
  EXPECT_NE(digest(run, "u").job, first);
}

TEST(Digest, KeepsTheFirstOfACaseStoredTwice) {
  const RunDigest run =
      test::digest_of("u", {test::measured("m/x", 1, {200}), test::measured("m/x", 1, {999})});
  EXPECT_EQ(run.keys.size(), 1U);
  EXPECT_DOUBLE_EQ(run.rows.begin()->second.value, 200e-9);
}

}  // namespace
}  // namespace scalemark::compare
