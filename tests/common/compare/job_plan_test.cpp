// SPDX-License-Identifier: Apache-2.0
// Plans of jobs against hand-computed costs, and against plans of runs.
#include "common/compare/planning/job_plan.hpp"

#include <cmath>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/compare/planning/run_plan.hpp"
#include "common/compare/print/planning.hpp"
#include "tests/common/compare/synthetic.hpp"

namespace scalemark::compare {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

/// Two cases that took 10 and 20 s, and one that failed after 1 s.
scalemark::Run planned_run(std::size_t number) {
  CaseResult quick = test::measured("micro/quick", 8, {1000000 + 10000 * number}),
             slow = test::measured("micro/slow", 8, {2000000 + 20000 * number}),
             failed = test::unmeasured("micro/failed", 8, Status::oom, "needs 1 TiB");
  quick.started = "2026-01-31T12:00:00.000Z";
  quick.stopped = slow.started = "2026-01-31T12:00:10.000Z";
  slow.stopped = failed.started = "2026-01-31T12:00:30.000Z";
  failed.stopped = "2026-01-31T12:00:31.000Z";
  return test::run_of(std::string(1, static_cast<char>('a' + number)), {quick, slow, failed});
}

struct Measured {
  std::vector<RunDigest> runs;
  std::vector<RunCost> costs;
  explicit Measured(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const scalemark::Run run = planned_run(i);
      runs.push_back(digest(run, run.uuid));
      costs.push_back(run_cost(run));
    }
  }
};

std::string key_named(const std::string& name) { return test::measured(name, 8, {1}).key; }

std::vector<JobCase> all_cases() {
  return {{.key = key_named("micro/slow"), .memory = 1000, .longest = 1},
          {.key = key_named("micro/new"),
           .memory = 3000,
           .longest = 2.5,
           .predicted = 0.004,
           .source = "ring, untested"},
          {.key = key_named("micro/failed"), .memory = 0, .longest = 1},
          {.key = key_named("micro/training"), .memory = 2000, .longest = {}}};
}

TEST(JobPlan, AddsUpMeasuredTimesAndBounds) {
  const Measured measured(3);
  JobOptions options;
  options.nodes = 4;
  const JobPlan plan = plan_job(all_cases(), measured.runs, measured.costs, options);
  ASSERT_EQ(plan.rows.size(), 4U);
  EXPECT_EQ(plan.runs, 3U);
  const JobRow& slow = plan.rows[0];
  EXPECT_TRUE(slow.measured);
  EXPECT_DOUBLE_EQ(slow.value, 0.00202);  // the middle one of three
  EXPECT_EQ(slow.metric, "latency");
  EXPECT_DOUBLE_EQ(slow.seconds, 20);
  EXPECT_FALSE(plan.rows[1].measured);
  EXPECT_TRUE(std::isnan(plan.rows[1].seconds));
  EXPECT_EQ(plan.rows[2].reason, "needs 1 TiB");
  EXPECT_EQ(plan.measured, 2U);  // the one that fails takes its second, too
  EXPECT_EQ(plan.bounded, 1U);
  EXPECT_EQ(plan.unknown, 1U);
  EXPECT_DOUBLE_EQ(plan.measured_seconds, 21);
  EXPECT_DOUBLE_EQ(plan.bounded_seconds, 2.5);
  ASSERT_EQ(plan.lines.size(), 3U);
  EXPECT_DOUBLE_EQ(plan.lines[1].seconds, 5 * 23.5);
  EXPECT_DOUBLE_EQ(plan.lines[1].node_hours, 5 * 23.5 * 4 / 3600);
  ASSERT_NE(plan.largest(), nullptr);
  EXPECT_EQ(plan.largest()->planned.memory, 3000U);
}

TEST(JobPlan, PredictedTrainingsHaveTheirTime) {
  const Measured measured(3);
  std::vector<JobCase> cases = all_cases();
  cases.back().predicted = 0.5;
  cases.back().is_bound = true;
  cases.back().source = "1 rank, ring";
  cases.back().duration = 60;
  const JobPlan plan = plan_job(cases, measured.runs, measured.costs);
  EXPECT_EQ(plan.predicted, 1U);
  EXPECT_EQ(plan.unknown, 0U);
  EXPECT_DOUBLE_EQ(plan.predicted_seconds, 60);
  EXPECT_DOUBLE_EQ(plan.run_seconds(), 83.5);
  std::ostringstream text;
  print_job_plan(plan, {.ranks = 8, .ranks_per_node = 4}, "text", text);
  EXPECT_THAT(text.str(), HasSubstr("~ >= 500 ms  1 rank, ring"));
  EXPECT_THAT(text.str(), HasSubstr(", about 60.0 s for 1 training predicted, at most 2.5 s of "));
}

/// Rows of other cases would make the tests stricter.
TEST(JobPlan, CountsOnlyItsOwnRowsAsTests) {
  Measured measured(3);
  const std::vector<JobCase> cases{all_cases().front()};
  const JobPlan plan = plan_job(cases, measured.runs, measured.costs);
  for (RunDigest& run : measured.runs)
    std::erase_if(run.rows, [&](const auto& row) { return row.first != cases.front().key; });
  const RunPlan expected =
      plan_runs(measured.runs, measured.costs,
                {.compare = {}, .runs = {3, 5, 10}, .effects = {0.05}, .budget = {}});
  ASSERT_EQ(expected.rows.size(), 1U);
  EXPECT_EQ(plan.rows.front().runs_needed, expected.rows.front().runs_needed.front());
  EXPECT_DOUBLE_EQ(plan.rows.front().spread, expected.rows.front().spread);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(plan.lines[i].rows_found, expected.lines[i].both.front().rows);
  EXPECT_GT(plan.lines.back().rows_found, 0U);
}

TEST(JobPlan, OneRunTellsNoSpread) {
  const Measured measured(1);
  const JobPlan plan = plan_job(all_cases(), measured.runs, measured.costs);
  EXPECT_TRUE(plan.rows[0].measured);
  EXPECT_TRUE(std::isnan(plan.rows[0].spread));
  EXPECT_FALSE(plan.rows[0].runs_needed.has_value());
  std::ostringstream text;
  print_job_plan(plan, {.ranks = 8, .ranks_per_node = 4}, "text", text);
  EXPECT_THAT(text.str(), HasSubstr("one run does not tell how much runs vary"));
}

TEST(JobPlan, WithoutRunsThereAreBounds) {
  const JobPlan plan = plan_job(all_cases(), {}, {});
  EXPECT_EQ(plan.measured, 0U);
  EXPECT_DOUBLE_EQ(plan.run_seconds(), 4.5);
  EXPECT_EQ(plan_job({}, {}, {}).largest(), nullptr);
}

TEST(JobPlan, PrintsWhatIsKnown) {
  const Measured measured(3);
  JobOptions options;
  options.nodes = 2;
  const JobPlan plan = plan_job(all_cases(), measured.runs, measured.costs, options);
  std::ostringstream text;
  print_job_plan(plan, {.ranks = 8, .ranks_per_node = 4}, "text", text);
  EXPECT_THAT(text.str(), HasSubstr("4 cases on 8 ranks, 2 nodes, from 3 earlier runs\n"));
  EXPECT_THAT(text.str(), HasSubstr("no figure so far for 1 case: needs 1 TiB\n"));
  EXPECT_THAT(text.str(), HasSubstr("memory: at most 3000 B per rank, 11.72 KiB per node: " +
                                    key_named("micro/new")));
  EXPECT_THAT(text.str(),
              HasSubstr("one run: 21.0 s for 2 cases timed before, at most 2.5 s of sampling for 1 "
                        "other; 1 case of unknown length."));
  EXPECT_THAT(text.str(),
              HasSubstr("  3 runs: more than 70.5 s, 0.0392 node-hours; 5 % found in "));
  EXPECT_THAT(text.str(), ContainsRegex("figure  source +spread %"));
  EXPECT_THAT(text.str(), ContainsRegex("~ 4.00 ms  ring, untested +- .* micro/new"));
  EXPECT_THAT(text.str(), HasSubstr("~: predicted from rows on other ranks"));
  const nlohmann::ordered_json json = to_json(plan, {.ranks = 8, .ranks_per_node = 4});
  EXPECT_EQ(json["rows"][0]["seconds"], 20);
  EXPECT_EQ(json["rows"][1]["seconds"], nullptr);
  EXPECT_EQ(json["rows"][1]["longest"], 2.5);
  EXPECT_EQ(json["rows"][1]["predicted"], 0.004);
  EXPECT_EQ(json["rows"][1]["source"], "ring, untested");
  EXPECT_EQ(json["rows"][0]["predicted"], nullptr);
  EXPECT_EQ(json["nodes"], 2);
}

}  // namespace
}  // namespace scalemark::compare
