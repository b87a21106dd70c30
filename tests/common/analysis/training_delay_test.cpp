// SPDX-License-Identifier: Apache-2.0
// What delays a training, on synthetic steps.
#include "common/analysis/training_delay.hpp"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace scalemark::analysis {
namespace {

constexpr std::size_t kSteps = 40;

/// Steps of 100 ms and what their ranks wait for; noise of 1 ms. Seconds.
struct Steps {
  std::vector<double> input, messages, late;  ///< per rank; `late` delays all others
  std::size_t steps = kSteps;
};

Metric metric(const std::string& name, std::size_t ranks, std::size_t steps) {
  Metric made{.name = name, .unit = "s", .formula = {}, .source = {}, .samples = {}};
  made.samples.ranks = ranks;
  made.samples.iterations = steps;
  made.samples.values = std::vector<std::uint64_t>(ranks * steps);
  made.samples.scale = 1e-9;
  return made;
}

CaseResult made(const Steps& training) {
  const std::size_t ranks = training.input.size();
  std::mt19937 random(3);
  std::normal_distribution<double> noise(0, 0.001);
  Metric step = metric("step_time", ranks, training.steps), input = step, messages = step;
  input.name = "loader_wait";
  messages.name = "exposed_communication_time";
  const auto ns = [](double seconds) { return static_cast<std::uint64_t>(seconds * 1e9); };
  for (std::size_t i = 0; i < training.steps; ++i) {
    std::vector<double> arrives;
    for (std::size_t rank = 0; rank < ranks; ++rank)
      arrives.push_back(0.1 + training.input[rank] + training.late[rank] + noise(random));
    const double last = *std::ranges::max_element(arrives);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const std::size_t at = rank * training.steps + i;
      std::get<0>(input.samples.values)[at] = ns(training.input[rank]);
      std::get<0>(messages.samples.values)[at] = ns(last - arrives[rank] + training.messages[rank]);
      std::get<0>(step.samples.values)[at] = ns(last + training.messages[rank]);
    }
  }
  CaseResult result;
  result.primary_metric = "step_time";
  result.metrics = {step, input, messages};
  return result;
}

TEST(TrainingDelay, ALateRankIsNamedAndNotItsMessages) {
  for (const std::size_t ranks : {2U, 3U, 8U}) {
    Steps training{.input = std::vector<double>(ranks),
                   .messages = std::vector<double>(ranks, 0.002),
                   .late = std::vector<double>(ranks)};
    EXPECT_TRUE(training_delays(made(training)).empty());
    training.late[1] = 0.03;
    const std::vector<TrainingDelay> delays = training_delays(made(training));
    ASSERT_EQ(delays.size(), 1U);
    EXPECT_EQ(delays[0].kind, DelayKind::rank);
    EXPECT_EQ(delays[0].rank, 1U);
    EXPECT_NEAR(delays[0].seconds, 0.03, 0.002);
    EXPECT_NEAR(delays[0].fraction, 0.03 / 0.132, 0.02);
  }
}

TEST(TrainingDelay, MessagesAreWhatTheLastRankWaitsFor) {
  const std::vector<TrainingDelay> delays =
      training_delays(made({.input = {0, 0}, .messages = {0.05, 0.05}, .late = {0, 0.02}}));
  ASSERT_EQ(delays.size(), 2U);
  EXPECT_EQ(delays[0].kind, DelayKind::messages);
  EXPECT_NEAR(delays[0].seconds, 0.05, 0.002);
  EXPECT_EQ(delays[1].rank, 1U);
  EXPECT_EQ(delay_text({.kind = DelayKind::messages, .seconds = 0.05, .fraction = 0.294}),
            "waits for messages 50.0 ms (29 %)");
}

TEST(TrainingDelay, InputOfOneRankDelaysAll) {
  const std::vector<TrainingDelay> delays =
      training_delays(made({.input = {0, 0.04}, .messages = {0.001, 0.001}, .late = {0, 0}}));
  ASSERT_EQ(delays.size(), 1U) << "what a rank waits for is not its computing";
  EXPECT_EQ(delays[0].kind, DelayKind::input);
  EXPECT_NEAR(delays[0].seconds, 0.04, 0.001);
}

TEST(TrainingDelay, NothingIsSaidOfFewStepsOrFailedOnes) {
  const Steps training{.input = {0.1}, .messages = {0}, .late = {0}, .steps = 9};
  EXPECT_TRUE(training_delays(made(training)).empty());
  CaseResult result = made({.input = {0.1}, .messages = {0}, .late = {0}});
  EXPECT_EQ(training_delays(result).size(), 1U);
  result.metrics[1].samples.iterations = 3;
  EXPECT_TRUE(training_delays(result).empty()) << "durations of other steps";
  result.status = Status::failed;
  EXPECT_TRUE(training_delays(result).empty());
}

}  // namespace
}  // namespace scalemark::analysis
