// SPDX-License-Identifier: Apache-2.0
// What made-up rows say of the step of a made-up training.
#include "common/cli/commands/explain_rows.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "common/cli/commands/missing_rows.hpp"

namespace scalemark::cli {
namespace {

using Seconds = std::map<std::string, std::vector<double>>;  ///< by metric

constexpr std::int64_t kDistance = 32;

/// Two operations a step, in one of two layouts, and one of so many tokens as the rows had.
Workload workload_of(const Point& training) {
  const Value one_rank = std::int64_t{1};
  Workload parts{
      {"sums", "test/sum", {{"layout", training.text("layout")}, {"ranks", one_rank}}, 2}};
  if (const auto* tokens = training.find_as<std::int64_t>("tokens"))
    parts.push_back({"loss",
                     "test/loss",
                     {{"reuse_distance", kDistance}, {"tokens", *tokens}, {"ranks", one_rank}},
                     1});
  return parts;
}

const Benchmark& registered() {
  static const Benchmark& training = [&]() -> const Benchmark& {
    const auto nothing = [](Case&) {};
    Benchmark sum("test/sum", nothing), loss("test/loss", nothing), train("test/train", nothing);
    sum.axis("layout", {.values = {"rows", "columns"}});
    loss.axis_integer("tokens", {.minimum = 1,
                                 .maximum = 1000,
                                 .defaults = "1",
                                 .doc = "Tokens of a step",
                                 .unit = "{token}"})
        .axis_integer("reuse_distance", {.minimum = 0,
                                         .maximum = 1000,
                                         .defaults = "0",
                                         .implied = 0,
                                         .doc = "Bytes read before",
                                         .unit = "By"});
    train.axis("layout", {.values = {"rows", "columns"}})
        .axis_boolean("graphs", {.defaults = {false}, .implied = false})
        .axis("kind", {.values = {"known", "unknown"},
                       .defaults = {"known"},
                       .implied = "known",
                       .doc = "Whether its operations are known"})
        .workload(workload_of,
                  [](const Point& p) {
                    return p.text("kind") == "unknown" ? std::string("it is a secret") : "";
                  })
        .step_sizes({.metric = {}, .at = {}, .records = {"tokens"}});
    Registry::instance().add(std::move(sum));
    Registry::instance().add(std::move(loss));
    Registry::instance().add(std::move(train));
    return *Registry::instance().find("test/train");
  }();
  return training;
}

/// A row whose metrics have one rank, so many iterations.
CaseResult row(const std::string& name, Point params, const Seconds& metrics) {
  registered();
  CaseResult result;
  result.name = name;
  params["ranks"] = std::int64_t{1};
  result.params = std::move(params);
  result.key = make_key(name, result.params);
  result.primary_metric = metrics.contains("step_time") ? "step_time" : "time";
  for (const auto& [metric, values] : metrics)
    result.metrics.push_back(
        {.name = metric,
         .unit = metric == "tokens" ? "{token}" : "s",
         .kind = MetricKind::duration,
         .formula = {},
         .source = {},
         .samples = {.ranks = 1, .iterations = values.size(), .values = values}});
  return result;
}

CaseResult training(const Seconds& metrics, Point more = {}) {
  Point point{{"layout", std::string("rows")}};
  for (const auto& [axis, value] : more) point[axis] = value;
  return row("test/train", point, metrics);
}

CaseResult loss(std::int64_t tokens, double seconds, std::int64_t distance = kDistance) {
  return row("test/loss", {{"reuse_distance", distance}, {"tokens", tokens}},
             {{"time", {seconds}}});
}

CaseResult sum(const std::string& layout, const Seconds& metrics) {
  return row("test/sum", {{"layout", layout}}, metrics);
}

Explained explained(const std::vector<CaseResult>& rows) {
  StepRows all;
  for (const CaseResult& one : rows) all.add(one);
  return all.explain(all.trainings().begin()->second);
}

TEST(ExplainRows, OfSeveralRunsTheMedianCounts) {
  const Explained step = explained({training({{"step_time", {8}}, {"loader_wait", {1}}}),
                                    training({{"step_time", {9}}, {"loader_wait", {2}}}),
                                    training({{"step_time", {20}}, {"loader_wait", {7}}}),
                                    sum("rows", {{"time", {3}}})});
  EXPECT_DOUBLE_EQ(step.step.measured, 9);
  EXPECT_DOUBLE_EQ(step.step.find("sums")->seconds, 6);
  EXPECT_DOUBLE_EQ(step.step.find("wait for input")->seconds, 2);
}

TEST(ExplainRows, WhatDataDecideIsTakenFromTheTraining) {
  const Explained step = explained({training({{"step_time", {9, 9}}, {"tokens", {99, 102}}}),
                                    sum("rows", {{"time", {3}}}), loss(50, 1), loss(200, 4)});
  const predict::StepComponent* const loss = step.step.find("loss");
  ASSERT_NE(loss, nullptr);
  EXPECT_EQ(loss->interpolated, 1U);
  EXPECT_DOUBLE_EQ(loss->seconds, 101.0 / 50) << "of 100.5 tokens, on a line through both rows";
}

/// It grows with the size of a step. Rows without one find their operands elsewhere.
TEST(ExplainRows, OfEachSizeTheNearestReuseDistanceCounts) {
  const std::vector<CaseResult> without = {training({{"step_time", {9}}, {"tokens", {100}}}),
                                           sum("rows", {{"time", {3}}}),
                                           loss(50, 7, 0),
                                           loss(50, 7, 15),
                                           loss(200, 7, 0),
                                           loss(200, 7, 65)};
  EXPECT_EQ(explained(without).step.find("loss")->missing, 1U);
  std::vector<CaseResult> rows = without;
  for (const CaseResult& one :
       {loss(50, 5, 20), loss(50, 1, 30), loss(50, 6, 60), loss(200, 6, 60), loss(200, 4, 40)})
    rows.push_back(one);
  const Explained step = explained(rows);
  EXPECT_EQ(step.step.find("loss")->interpolated, 1U);
  EXPECT_DOUBLE_EQ(step.step.find("loss")->seconds, 2);
}

TEST(ExplainRows, AGraphHasNoLaunches) {
  const CaseResult slow_to_start =
      sum("rows", {{"time", {9}}, {"event_time", {3}}, {"issue_time", {5}}});
  const Explained one_by_one = explained({training({{"step_time", {12}}}), slow_to_start});
  EXPECT_DOUBLE_EQ(one_by_one.step.explained, 10);
  EXPECT_DOUBLE_EQ(one_by_one.step.find(predict::kLaunches)->seconds, 4);
  const Explained graph =
      explained({training({{"step_time", {7}}}, {{"graphs", true}}), slow_to_start});
  EXPECT_DOUBLE_EQ(graph.step.explained, 6);
  EXPECT_EQ(graph.step.find(predict::kLaunches), nullptr);
}

TEST(ExplainRows, SaysWhatAnotherLayoutWouldTake) {
  const CaseResult step = training({{"step_time", {9}}}), rows = sum("rows", {{"time", {3}}});
  EXPECT_FALSE(explained({step, rows}).other_layout) << "without its rows";
  const auto other = explained({step, rows, sum("columns", {{"time", {2}}})}).other_layout;
  ASSERT_TRUE(other);
  EXPECT_EQ(other->component, "sums");
  EXPECT_EQ(other->layout, "columns");
  EXPECT_DOUBLE_EQ(other->seconds, 4);
}

TEST(ExplainRows, CommandsStartTheRanksOfTheirRows) {
  const std::vector<WorkloadPart> parts{
      {"sums", "test/sum", {{"layout", std::string("rows")}, {"ranks", std::int64_t{2}}}, 1}};
  EXPECT_EQ(
      measuring_commands(parts),
      std::vector<std::string>{"mpirun -n 2 scalemark run '^test/sum$' -a layout=rows -a ranks=2"});
}

TEST(ExplainRows, KeepsTheReasonWhyOperationsAreNotKnown) {
  StepRows all;
  all.add(training({{"step_time", {9}}}, {{"kind", std::string("unknown")}}));
  EXPECT_TRUE(all.trainings().empty());
  EXPECT_TRUE(registered()
                  .workload_for({{"kind", std::string("unknown")}, {"layout", std::string("rows")}})
                  .empty());
  ASSERT_EQ(all.unknown_trainings().size(), 1U);
  EXPECT_EQ(all.unknown_trainings().begin()->second, "it is a secret");
}

}  // namespace
}  // namespace scalemark::cli
