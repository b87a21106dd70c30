// SPDX-License-Identifier: Apache-2.0
// A training that goes on from a saved state is the training that was not interrupted.
#include <algorithm>

#include <gtest/gtest.h>

#include "tests/suites/imaging/train_case.hpp"

namespace scalemark::imaging {
namespace {

void expect_the_same(const TrainRun& whole, const TrainRun& resumed) {
  EXPECT_EQ(resumed.fact("parameters_fingerprint"), whole.fact("parameters_fingerprint"));
  EXPECT_EQ(resumed.fact("images_seen"), whole.fact("images_seen"));
  for (std::size_t rank = 0; rank < whole.result().find("step_loss")->samples.ranks; ++rank)
    EXPECT_EQ(resumed.series("step_loss", rank), whole.series("step_loss", rank)) << rank;
  for (const char* name :
       {"epoch_loss", "epoch_accuracy", "epoch_test_loss", "epoch_train_accuracy"})
    EXPECT_EQ(resumed.series(name, 0), whole.series(name, 0)) << name;
  EXPECT_EQ(resumed.series("epoch_time", 0).size(), whole.series("epoch_time", 0).size());
}

class Resumed : public testing::TestWithParam<const char*> {};

TEST_P(Resumed, TrainingIsTheOneThatWasNotInterrupted) {
  const std::vector<std::string> axes{"image=32", "batch=8",  "images=48",
                                      "epochs=3", GetParam(), "test_images=24"};
  const TrainRun whole = run_train(axes);
  std::optional<CaseState> after_two;
  if (root()) {
    ASSERT_EQ(whole.sink.states.size(), 2U) << "after each epoch but the last";
    after_two = whole.sink.states[1];
  }
  const TrainRun resumed = run_train(axes, {}, after_two);
  EXPECT_EQ(resumed.outcome.ok, 1U);
  if (!root()) return;
  EXPECT_EQ(resumed.fact("resumed_at_epoch"), "3");
  EXPECT_TRUE(resumed.sink.states.empty()) << "only the last epoch was left";
  expect_the_same(whole, resumed);
}

INSTANTIATE_TEST_SUITE_P(Axes, Resumed,
                         testing::Values("strategy=ddp_ds", "precision=bf16",
                                         "broadcast_buffers=false", "strategy=ddp_rr"),
                         [](const auto& axis) {
                           std::string name = axis.param;
                           std::replace(name.begin(), name.end(), '=', '_');
                           return name;
                         });

TEST(Resume, AStateThatIsNotOfThisTrainingFailsTheCase) {
  const std::vector<std::string> axes{"image=32", "batch=8", "images=32", "epochs=2",
                                      "test_images=16"};
  const TrainRun whole = run_train(axes);
  std::optional<CaseState> state;
  if (root()) {
    state = whole.sink.states.at(0);
    state->shared.resize(state->shared.size() / 2);
  }
  const TrainRun damaged = run_train(axes, {}, state);
  EXPECT_EQ(damaged.outcome.failed, 1U);
  if (!root()) return;
  EXPECT_NE(damaged.result().reason.find("the checkpoint of this case"), std::string::npos)
      << damaged.result().reason;
}

}  // namespace
}  // namespace scalemark::imaging
