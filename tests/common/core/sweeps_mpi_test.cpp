// SPDX-License-Identifier: Apache-2.0
// Several sweeps over a plan on 1, 2 and 4 ranks: order, what is kept, when rows come, failures.
#include <algorithm>
#include <map>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/core/case.hpp"
#include "common/core/runner.hpp"
#include "common/core/sweep_order.hpp"
#include "common/result/sweeps.hpp"
#include "tests/support/one_session.hpp"

namespace scalemark {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t kCases = 6;

/// Keeps sweeps as the file does, in memory.
class KeepingSink final : public ResultSink {
 public:
  void begin(const Run&) override {}
  void started(const CaseResult& planned) override { started_indices.push_back(planned.index); }
  void phase(const CaseResult&) override {}
  void add(const CaseResult& result) override { rows.push_back(result); }
  void end(const Run&) override {}
  CaseResult keep(const CaseResult& part) override {
    const auto [before, is_new] = all.emplace(part.index, part);
    if (!is_new) append_sweep(before->second, part);
    return before->second;
  }
  std::optional<CaseResult> kept(std::size_t index, bool) override {
    const auto found = all.find(index);
    return found == all.end() ? std::nullopt : std::optional(found->second);
  }
  void expect(const std::vector<std::size_t>& indices) override { expected = indices; }

  std::vector<std::size_t> started_indices, expected;
  std::map<std::size_t, CaseResult> all;
  std::vector<CaseResult> rows;
};

using test::world;

class SweepsTest : public test::OneSession<SweepsTest> {
 protected:
  RunOutcome run(Benchmark::Function function, RunnerOptions options, bool fixed_work = false) {
    registry = std::make_unique<Registry>();
    Benchmark& benchmark = registry->add(Benchmark("test/one", function));
    benchmark.rank_local().axis_integer("number", {.minimum = 0,
                                                   .maximum = kCases - 1,
                                                   .defaults = "0:5:+1",
                                                   .doc = "Number of the case",
                                                   .unit = "1"});
    if (fixed_work) benchmark.fixed_work();
    PlanRequest request;
    request.policy = PolicyChange{.iterations = 4}.apply(request.policy);
    request.overrides = {parse_override("ranks=" + std::to_string(world().size()))};
    Runner runner(*session, sink, std::move(options));
    return runner.run(make_plan(*registry, request, session->context()));
  }

  std::vector<std::size_t> shown() const {
    std::vector<std::size_t> indices;
    for (const CaseResult& row : sink.rows) indices.push_back(row.index);
    return indices;
  }

  std::unique_ptr<Registry> registry;
  KeepingSink sink;
};

volatile int work = 0;
void quick(Case& c) {
  c.measure([] { work = work + 1; }, {.inner = 0, .inner_time = 2e-5, .barrier = false});
}

TEST_F(SweepsTest, GoThroughThePlanInTheirOwnOrderAndGiveEachRowOnce) {
  EXPECT_EQ(run(quick, {.sweeps = 3}).ok, static_cast<std::size_t>(kCases));
  if (!root()) return;
  std::vector<std::size_t> wanted;
  for (const auto& order : sweep_orders(kCases, 3, session->options().seed))
    wanted.insert(wanted.end(), order.begin(), order.end());
  EXPECT_EQ(sink.started_indices, wanted);
  EXPECT_EQ(sink.expected, wanted);
  EXPECT_THAT(shown(), ElementsAre(0, 1, 2, 3, 4, 5)) << "rows come in the plan's order";
  for (const CaseResult& row : sink.rows) {
    EXPECT_EQ(sweeps_of(row), 3);
    EXPECT_EQ(row.find("time")->samples.iterations, 12U);
    EXPECT_THAT(sweep_starts(row, *row.find("time")), ElementsAre(0, 4, 8));
    EXPECT_TRUE(row.facts.contains("between_sweeps"));
  }
}

// The number of operations a sample is chosen by how long they take: once for all sweeps.
TEST_F(SweepsTest, HaveTheSamplesOfTheFirst) {
  for (int attempt = 0; attempt < 5; ++attempt) {
    sink = {};
    EXPECT_EQ(run(quick, {.sweeps = 4}).failed, 0U);
    for (const CaseResult& row : sink.rows) EXPECT_EQ(row.status, Status::ok) << row.reason;
  }
}

TEST_F(SweepsTest, OneSweepIsAddedAsItComes) {
  EXPECT_EQ(run(quick, {}).ok, static_cast<std::size_t>(kCases));
  if (!root()) return;
  EXPECT_THAT(sink.all, IsEmpty());
  EXPECT_THAT(shown(), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(sink.started_indices, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_FALSE(sink.rows[0].facts.contains("sweeps"));
}

TEST_F(SweepsTest, WorkThatIsFixedIsDoneOnce) {
  EXPECT_EQ(run(quick, {.sweeps = 3}, true).ok, static_cast<std::size_t>(kCases));
  if (!root()) return;
  EXPECT_EQ(sink.started_indices.size(), static_cast<std::size_t>(kCases));
  EXPECT_THAT(shown(), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_FALSE(sink.rows[0].facts.contains("sweeps"));
}

int calls_of_two = 0;
void second_time_fails(Case& c) {
  if (c.integer("number") == 2 && ++calls_of_two == 2 && c.rank() == c.size() - 1)
    throw WrongData("3 of 4 elements wrong");
  quick(c);
}

TEST_F(SweepsTest, ACaseThatFailsOnceIsNotMeasuredAgain) {
  calls_of_two = 0;
  const RunOutcome outcome = run(second_time_fails, {.sweeps = 4});
  EXPECT_EQ(outcome.ok, static_cast<std::size_t>(kCases) - 1);
  EXPECT_EQ(outcome.failed, 1U);
  EXPECT_EQ(outcome.wrong_data, 1U);
  EXPECT_EQ(outcome.exit_code(), 6);
  EXPECT_EQ(calls_of_two, 2);
  if (!root()) return;
  ASSERT_THAT(shown(), ElementsAre(0, 1, 2, 3, 4, 5));
  const CaseResult& failed = sink.rows[2];
  EXPECT_EQ(failed.status, Status::failed);
  EXPECT_THAT(failed.reason, HasSubstr("sweep 2 of 4: rank "));
  EXPECT_EQ(failed.find("time")->samples.iterations, 4U) << "what the first sweep measured stays";
  EXPECT_EQ(sweeps_of(sink.rows[3]), 4);
}

TEST_F(SweepsTest, ABudgetLeavesWhatIsMeasured) {
  EXPECT_EQ(run(quick, {.budget = 0.0, .sweeps = 2}).skipped, static_cast<std::size_t>(kCases));
  if (root()) {
    EXPECT_THAT(sink.rows.at(0).reason, HasSubstr("the time budget of"));
    EXPECT_THAT(shown(), ElementsAre(0, 1, 2, 3, 4, 5));
  }
  // An earlier launch has done one sweep, and there is no time for a second one.
  KeepingSink before;
  std::swap(sink, before);
  run(quick, {.sweeps = 2});
  std::map<std::size_t, FinishedCase> done;
  for (std::size_t i = 0; i < static_cast<std::size_t>(kCases); ++i)
    done[i] = {Status::ok, false, 1};
  sink.rows.clear();
  sink.started_indices.clear();
  const RunOutcome outcome = run(quick, {.finished = done, .budget = 0.0, .sweeps = 2});
  EXPECT_EQ(outcome.ok, static_cast<std::size_t>(kCases));
  EXPECT_EQ(outcome.skipped, 0U);
  EXPECT_THAT(sink.started_indices, IsEmpty());
  if (root()) {
    EXPECT_THAT(shown(), ElementsAre(0, 1, 2, 3, 4, 5));
  }
}

TEST_F(SweepsTest, AResumedRunMakesTheMissingOnes) {
  std::map<std::size_t, FinishedCase> done;
  for (std::size_t i = 0; i < static_cast<std::size_t>(kCases); ++i) done[i] = {Status::ok};
  done.erase(1);
  done[4] = {Status::failed};
  done[5] = {Status::ok, false, 2};
  const RunOutcome outcome = run(quick, {.finished = done, .sweeps = 3});
  EXPECT_EQ(outcome.resumed, 4U);
  EXPECT_EQ(outcome.failed, 1U);
  EXPECT_EQ(outcome.ok, 2U);
  if (!root()) return;
  EXPECT_EQ(std::ranges::count(sink.started_indices, 1U), 3);
  EXPECT_EQ(std::ranges::count(sink.started_indices, 5U), 1);
  EXPECT_EQ(sink.started_indices.size(), 4U);
  EXPECT_THAT(shown(), ElementsAre(1, 5));
}

}  // namespace
}  // namespace scalemark
