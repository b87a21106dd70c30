// SPDX-License-Identifier: Apache-2.0
// Run plans against simulated power and hand-computed costs.
#include "common/compare/planning/run_plan.hpp"

#include <cmath>
#include <iostream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/compare/print/planning.hpp"
#include "tests/common/compare/synthetic.hpp"
#include "tests/support/generated_runs.hpp"

namespace scalemark::compare {
namespace {

using testing::HasSubstr;

// Shares of changed rows that were found in 500 simulated tables of 200 rows, one in ten changed,
// the rows' spreads 1 % * sqrt(4 / chi-square(4)); simulated with R and limma, not with this code.
TEST(RunPlan, PromisesWhatSimulationsFind) {
  const test::Scenario scenario{.runs_a = 10, .runs_b = 1, .run_sd = 0.01, .rows_differ = true};
  RunPlanOptions options;
  options.effects = {0.03, 0.05, 0.1};
  const std::vector<std::vector<double>> simulated = {
      {0.01, 0.74, 0.99}, {0.27, 0.91, 0.996}, {0.74, 0.975, 0.999}};
  std::vector<std::vector<double>> promised(3, std::vector<double>(3, 0));
  constexpr int kTables = 5;
  for (std::uint64_t seed = 0; seed < kTables; ++seed) {
    const auto runs = test::digests(test::generate(scenario, seed), true);
    const RunPlan plan = plan_runs(runs, {}, options);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) promised[i][j] += plan.lines[i].both[j].power / kTables;
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      std::cout << options.runs[i] << " runs, " << 100 * options.effects[j] << " %: promised "
                << promised[i][j] << ", found " << simulated[i][j] << "\n";
      EXPECT_NEAR(promised[i][j], simulated[i][j], 0.08);
    }
  }
}

TEST(RunPlan, MoreRunsFindMoreAndLargerEffectsAreFoundMore) {
  const test::Scenario scenario{.runs_a = 5, .runs_b = 1, .rows = 60, .rows_differ = true};
  RunPlanOptions options;
  options.runs = {10, 3, 5};
  options.effects = {0.1, 0.005, 0.02, 0.05};
  const RunPlan plan = plan_runs(test::digests(test::generate(scenario, 1), true), {}, options);
  EXPECT_THAT(plan.options.runs, testing::ElementsAre(3, 5, 10));
  for (std::size_t i = 0; i < plan.lines.size(); ++i) {
    const PlanLine& line = plan.lines[i];
    EXPECT_EQ(line.both[0].rows, 0U);  // 0.5 % is within the threshold
    for (std::size_t j = 1; j < line.both.size(); ++j) {
      EXPECT_GE(line.both[j].rows, line.both[j - 1].rows);
      if (i == 0) continue;
      EXPECT_GE(line.both[j].rows, plan.lines[i - 1].both[j].rows);
    }
  }
  // Five new runs against five base runs equal five runs per side.
  EXPECT_EQ(plan.lines[1].both[2].rows, plan.lines[1].against_base[2].rows);
  EXPECT_GT(plan.lines[0].against_base[2].power, plan.lines[0].both[2].power);
  for (const PlanRow& row : plan.rows) {
    ASSERT_EQ(row.runs_needed.size(), 4U);
    EXPECT_FALSE(row.runs_needed[0].has_value());
    EXPECT_GE(row.runs_needed[1], row.runs_needed[2]);
    EXPECT_GE(row.runs_needed[2], row.runs_needed[3]);
  }
  EXPECT_GE(plan.rows.front().spread, plan.rows.back().spread);
}

/// A run of two cases: a quiet one that took 10 s, and one that differs by tens of percent between
/// runs and took 20 s.
scalemark::Run timed_run(std::size_t number) {
  const std::vector<std::uint64_t> wild = {1000000, 2000000, 1500000};
  CaseResult quiet = test::measured("micro/quiet", 8, {1000000 + 100 * number});
  CaseResult noisy = test::measured("micro/noisy", 8, {wild[number]});
  quiet.started = std::string("2026-01-31T12:00:00.000Z");
  quiet.stopped = noisy.started = std::string("2026-01-31T12:00:10.000Z");
  noisy.stopped = std::string("2026-01-31T12:00:30.000Z");
  std::string uuid("r");
  uuid += std::to_string(number);
  scalemark::Run run = test::run_of(uuid, {quiet, noisy});
  run.ranks[1].node = "node2";
  return run;
}

RunPlan timed_plan(std::optional<double> budget) {
  std::vector<RunDigest> runs;
  std::vector<RunCost> costs;
  for (const std::size_t number : {0U, 1U, 2U}) {
    runs.push_back(digest(timed_run(number), "r"));
    costs.push_back(run_cost(timed_run(number)));
  }
  RunPlanOptions options;
  options.budget = budget;
  return plan_runs(runs, costs, options);
}

TEST(RunPlan, CountsNodeHours) {
  const RunPlan plan = timed_plan(std::nullopt);
  EXPECT_EQ(plan.nodes, 2U);
  EXPECT_DOUBLE_EQ(plan.run_seconds, 30);
  EXPECT_DOUBLE_EQ(plan.lines[2].seconds, 300);
  EXPECT_DOUBLE_EQ(plan.lines[2].node_hours, 2 * 300 / 3600.0);
  EXPECT_EQ(plan.rows[0].key, "micro/noisy bytes=8 ranks=2");
  EXPECT_DOUBLE_EQ(plan.rows[0].seconds, 20);
  EXPECT_GT(plan.rows[0].runs_needed[2].value(), 10);
  EXPECT_LE(plan.rows[1].runs_needed[0].value(), 3);
}

TEST(RunPlan, KeepsABudgetByLeavingOutWhatTellsNothing) {
  const RunPlan plan = timed_plan(120);
  EXPECT_TRUE(plan.lines[0].fits);  // 3 runs: 90 s
  EXPECT_TRUE(plan.lines[0].drop.empty());
  EXPECT_TRUE(plan.lines[1].fits);  // 5 runs: 150 s, without the noisy row 50 s
  ASSERT_EQ(plan.lines[1].drop.size(), 1U);
  EXPECT_EQ(plan.lines[1].drop[0].key, "micro/noisy bytes=8 ranks=2");
  const RunPlan tight = timed_plan(20);
  EXPECT_FALSE(tight.lines[0].fits);
}

TEST(RunCost, TellsNoiseWithinARun) {
  // Every second sample is 1.02 times the others: the interval of the median spans both.
  std::vector<std::uint64_t> samples;
  for (int i = 0; i < 100; ++i) samples.push_back(i % 2 == 0 ? 1000000 : 1020000);
  const RunCost cost = run_cost(test::run_of("r", {test::measured("micro/x", 8, samples)}));
  const CaseCost& one = cost.cases.at("micro/x bytes=8 ranks=2");
  EXPECT_NEAR(std::sqrt(one.within), std::log(1.02) / (2 * 1.96), 1e-5);
  EXPECT_TRUE(std::isnan(one.seconds));
  EXPECT_TRUE(std::isnan(cost.seconds));
}

TEST(RunPlan, TakesABaselineForTheRunsItStandsFor) {
  RunDigest baseline = test::digest_of("b", {test::measured("micro/x", 8, {1000000})});
  RowDigest& row = baseline.rows.begin()->second;
  row.runs = 5;
  row.variance = 0.0004;
  const RunPlanOptions options;
  const RunPlan plan = plan_runs(std::vector<RunDigest>{baseline}, {}, options);
  EXPECT_EQ(plan.base_runs, 5U);
  ASSERT_EQ(plan.rows.size(), 1U);
  EXPECT_NEAR(plan.rows[0].spread, 0.02, 1e-9);
}

TEST(RunPlan, NeedsTwoDifferentRuns) {
  const RunDigest run = test::digest_of("r", {test::measured("micro/x", 8, {1000})});
  const RunPlanOptions options;
  EXPECT_THROW(plan_runs(std::vector<RunDigest>{run}, {}, options), UsageError);
  EXPECT_THROW(plan_runs(std::vector<RunDigest>{run, run}, {}, options), UsageError);
}

TEST(RunPlanPrint, HasTextAndJson) {
  const RunPlan plan = timed_plan(120);
  std::ostringstream text;
  print_run_plan(plan, "text", text);
  EXPECT_THAT(text.str(), HasSubstr("one run took 30.0 s on 2 nodes"));
  EXPECT_THAT(text.str(), HasSubstr("5 runs: 2.5 min, 0.0833 node-hours"));
  EXPECT_THAT(text.str(), HasSubstr("the other rows fit the budget"));
  std::ostringstream json;
  print_run_plan(plan, "json", json);
  const nlohmann::json document = nlohmann::json::parse(json.str());
  EXPECT_EQ(document.at("format"), "scalemark-run-plan");
  EXPECT_EQ(document.at("version"), 1);
  EXPECT_EQ(document.at("plan").size(), 3U);
  EXPECT_EQ(document.at("plan").at(1).at("drop").at(0).at("key"), "micro/noisy bytes=8 ranks=2");
  EXPECT_EQ(document.at("run_seconds"), 30);
  EXPECT_THROW(print_run_plan(plan, "md", json), UsageError);
}

}  // namespace
}  // namespace scalemark::compare
