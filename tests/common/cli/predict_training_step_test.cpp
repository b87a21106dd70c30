// SPDX-License-Identifier: Apache-2.0
// Intervals of predicted steps, from made-up trainings whose errors are known.
#include "common/cli/commands/predict_training_step.hpp"

#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/common/cli/collective_runs.hpp"

namespace scalemark::cli {
namespace {

constexpr double kLevel = 0.9;

/// A training without messages, so that its step is that of the slowest rank.
const Benchmark& silent_training() {
  static Benchmark benchmark("test/silent", [](Case&) {});
  benchmark.communication([](const Point&) { return Workload(); });
  return benchmark;
}

/// Twenty steps of 1 s on one rank, and on two ranks one run of `seconds`.
TrainingRows training(const std::string& name, double seconds) {
  TrainingRows rows{.key = name, .point = {}, .process_group = "mpi", .by_ranks = {}};
  rows.by_ranks[1] = {.step = {1.0}, .local = std::vector<double>(20, 1.0)};
  rows.by_ranks[2] = {.step = {seconds}, .local = {}};
  return rows;
}

StepLine predicted(const TrainingRows& rows) {
  Collectives none({});
  MissingSizes missing;
  return predict_step(rows, silent_training(), 2, none, missing).value();
}

TEST(PredictedStep, HoldsTheLargestErrorOfNineOthers) {
  Collectives none({});
  std::vector<TrainingRows> all;
  for (int i = 0; i < 10; ++i)
    all.push_back(training("image=" + std::to_string(i), std::exp(0.01 * i)));
  const TrainingErrors errors(all, silent_training(), none);
  // The last one has the largest error, which says nothing of itself: that of the ninth counts.
  StepLine last = predicted(all.back());
  EXPECT_EQ(last.step(), 1);
  EXPECT_EQ(errors.count_for(last, "image=9"), 9U);
  errors.add_interval(last, "image=9", kLevel);
  ASSERT_TRUE(last.interval);
  EXPECT_NEAR(last.interval->first, std::exp(-0.08), 1e-12);
  EXPECT_NEAR(last.interval->second, std::exp(0.08), 1e-12);
  StepLine first = predicted(all.front());
  errors.add_interval(first, "image=0", kLevel);
  EXPECT_NEAR(first.interval.value().second, std::exp(0.09), 1e-12);
}

TEST(PredictedStep, HasNoIntervalWithEightOthers) {
  Collectives none({});
  const std::vector<TrainingRows> all(8, training("image=1", 1.1));
  const TrainingErrors errors(all, silent_training(), none);
  StepLine line = predicted(training("image=2", 1.0));
  EXPECT_EQ(errors.count_for(line, "image=2"), 8U);
  errors.add_interval(line, "image=2", kLevel);
  EXPECT_FALSE(line.interval);
}

TEST(PredictedStep, RepeatedRunsMakeItWider) {
  Collectives none({});
  std::vector<TrainingRows> all;
  for (int i = 0; i < 9; ++i) all.push_back(training("image=" + std::to_string(i), 1.0));
  const double deviation = 0.1;
  all[0].by_ranks[1].step = {std::exp(-deviation), 1.0, std::exp(deviation)};
  const TrainingErrors errors(all, silent_training(), none);
  StepLine line = predicted(training("image=9", 1.0));
  errors.add_interval(line, "image=9", kLevel);
  EXPECT_NEAR(std::log(line.interval.value().second), 1.6449 * deviation, 1e-4);
}

TEST(PredictedStep, OnAnotherMachineAllMomentsComeLater) {
  MeasuredTraining measured = training("image=1", 1.0).by_ranks.at(1);
  measured.nodes = {2};
  measured.ready = {{0.1, 0.2}};
  measured.sharded = {{{.is_reduction = true, .bytes = 8, .started = 0.3, .needed = 0.4}}};
  const MeasuredTraining moved = scaled(measured, 3);
  EXPECT_EQ(moved.local, std::vector<double>(20, 3.0));
  EXPECT_DOUBLE_EQ(moved.ready[0][1], 0.6);
  EXPECT_DOUBLE_EQ(moved.sharded[0][0].started, 0.9);
  EXPECT_DOUBLE_EQ(moved.sharded[0][0].needed, 1.2);
  EXPECT_EQ(moved.sharded[0][0].bytes, 8);
  EXPECT_TRUE(moved.step.empty());
  EXPECT_TRUE(moved.nodes.empty()) << "that machine may hold more ranks on a node";
}

TEST(PredictedStep, StartsFromItsOwnRanksOnAnotherMachineOnly) {
  TrainingRows rows = training("image=1", 1.0);
  rows.by_ranks[2].local = {1.0};
  EXPECT_EQ(start_for(rows, 2)->first, 1);
  EXPECT_EQ(start_for(rows, 64)->first, 2);
  rows.is_elsewhere = true;
  EXPECT_EQ(start_for(rows, 2)->first, 2);
}

/// Errors of messages from rows do not tell how good their forms are.
TEST(PredictedStep, TakesErrorsOfItsOwnKind) {
  Collectives none({});
  const std::vector<TrainingRows> all(9, training("image=1", 1.1));
  const TrainingErrors errors(all, silent_training(), none);
  StepLine line = predicted(training("image=2", 1.0));
  line.messages.push_back({"gradients", "micro/allreduce", 1, 8, {1e-6, "ring, untested", false}});
  EXPECT_EQ(errors.count_for(line, "image=2"), 0U);
  line.messages.back().time = {1e-6, "interpolated", true};
  EXPECT_EQ(errors.count_for(line, "image=2"), 9U);
}

/// 12 trainings with errors of heavy tails, and one more, 2,000 times: 12 of 13 are held.
TEST(PredictedStep, HoldsAsOftenAsPromised) {
  Collectives none({});
  std::mt19937 random(1);
  std::student_t_distribution<double> heavy_tails(3);
  constexpr int kTrials = 2000;
  int held = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<TrainingRows> all;
    for (int i = 0; i < 13; ++i)
      all.push_back(training("image=" + std::to_string(i), std::exp(0.05 * heavy_tails(random))));
    StepLine line = predicted(all[12]);
    TrainingErrors(all, silent_training(), none).add_interval(line, all[12].key, kLevel);
    held +=
        *line.measured >= line.interval.value().first && *line.measured <= line.interval->second;
  }
  EXPECT_NEAR(static_cast<double>(held) / kTrials, 12.0 / 13, 0.02);
}

/// A training whose steps have a message of 64 bytes.
const Benchmark& talking_training() {
  static Benchmark benchmark("test/talking", [](Case&) {});
  benchmark.communication([](const Point&) {
    return Workload{{"gradients", "micro/allreduce", {{"bytes", std::int64_t{64}}}}};
  });
  return benchmark;
}

/// Messages of ranks on one node take 10 us, on a node each 80 us.
TEST(PredictedStep, TakesMessagesOfNodesAsFullAsItsOwn) {
  const CollectiveRuns runs;
  const Point axes{{"backend", "gloo"}, {"memory", "host"}};
  Collectives collectives({runs.write({.name = "near",
                                       .ranks = {2, 4, 8},
                                       .ranks_per_node = 8,
                                       .seconds = 1e-5,
                                       .axes = axes}),
                           runs.write({.name = "far",
                                       .ranks = {2, 4, 8},
                                       .ranks_per_node = 1,
                                       .seconds = 8e-5,
                                       .axes = axes})});
  TrainingRows rows = training("image=1", 1);
  rows.process_group = "gloo";
  const auto message = [&](int ranks) {
    MissingSizes missing;
    return predict_step(rows, talking_training(), ranks, collectives, missing)
        .value()
        .messages.front()
        .time;
  };
  // From one rank, on a node: it is not known where the others are.
  rows.by_ranks[1].nodes = {1};
  EXPECT_EQ(message(4).source, "measured on 1 node");
  EXPECT_NEAR(message(4).seconds, 1e-5, 1e-12);
  // The training on two ranks had a node for each: so have those on two and on four.
  rows.by_ranks[2].nodes = {2};
  rows.by_ranks[2].local = rows.by_ranks[1].local;
  EXPECT_EQ(message(2).source, "measured on 2 nodes");
  EXPECT_EQ(message(4).source, "measured on 4 nodes");
  EXPECT_NEAR(message(4).seconds, 8e-5, 1e-12);
  // Runs on one and on two nodes tell nothing.
  rows.by_ranks[2].nodes = {1, 2};
  EXPECT_EQ(message(4).source, "measured on 1 node");
}

/// A step with a message of each reach: most ranks measured, and the next smaller number.
StepLine with_messages(const std::vector<std::set<int>>& measured) {
  StepLine line = predicted(training("a", 1));
  for (const std::set<int>& ranks : measured)
    line.messages.push_back({.component = "gradients",
                             .benchmark = "micro/allreduce",
                             .count = 1,
                             .bytes = 1,
                             .time = {1e-3, "ring", false, reach_of(64, ranks), {}}});
  return line;
}

TEST(PredictedStep, IsFarIfOneOfItsMessagesIs) {
  EXPECT_FALSE(with_messages({}).is_far());
  EXPECT_FALSE(with_messages({{2, 16}}).is_far()) << "tested over eight times";
  // The first is farther beyond its rows, the second beyond where it was tested.
  const StepLine line = with_messages({{2, 16}, {24, 32}});
  EXPECT_TRUE(line.is_far());
  EXPECT_EQ(line.farthest()->beyond, 2);
}

TEST(PredictedStep, IsBoundByItsLargestPart) {
  StepLine line = with_messages({{2, 16}});
  EXPECT_EQ(line.bound(), "computing");
  line.slowest.median = 3;
  EXPECT_EQ(line.bound(), "waiting for the slowest rank");
  line.messages[0].time.seconds = 2.5;
  EXPECT_EQ(line.bound(), "communication");
  line.hidden = 2.0;
  EXPECT_EQ(line.bound(), "waiting for the slowest rank")
      << "what is sent beside does not bound it";
}

}  // namespace
}  // namespace scalemark::cli
