// SPDX-License-Identifier: Apache-2.0
// Waits of a step for its messages, by hand.
#include "common/predict/step_schedule.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace scalemark::predict {
namespace {

double waited(const std::vector<StepMessageTimes>& messages) { return waited_seconds(messages); }

// Gradients are needed when all are there.
TEST(StepSchedule, HidesMessagesThatEndBeforeTheComputation) {
  EXPECT_DOUBLE_EQ(waited({{1, 6, 2}, {4, 6, 1}}), 0);
  EXPECT_DOUBLE_EQ(waited({{1, 5, 2}, {4, 5, 1}}), 0);
  EXPECT_DOUBLE_EQ(waited({{1, 4, 2}, {4, 4, 1}}), 1) << "the last is ready at the end";
  EXPECT_DOUBLE_EQ(waited({}), 0);
}

// The second waits for the first, the third for its gradients.
TEST(StepSchedule, SendsOneAfterTheOther) {
  EXPECT_DOUBLE_EQ(waited({{1, 10, 5}, {2, 10, 3}, {10, 10, 4}}), 4);
  EXPECT_DOUBLE_EQ(waited({{1, 8, 5}, {2, 8, 3}, {8, 8, 4}}), 5);
}

// Parameters of three layers, each started when the one before is needed, and each computing for 2
// s.
TEST(StepSchedule, StartsNothingWhileItWaits) {
  // All start at once and arrive after 3, 6 and 9 s. They are needed after 0, 3 + 2 and 6 + 2 s.
  EXPECT_DOUBLE_EQ(waited({{0, 0, 3}, {0, 2, 3}, {0, 4, 3}}), 3 + 1 + 1);
  // The third starts at 5 s only, but has to wait for the second in any case.
  EXPECT_DOUBLE_EQ(waited({{0, 0, 3}, {0, 2, 3}, {2, 4, 3}}), 3 + 1 + 1);
  // With short messages, only the first is waited for.
  EXPECT_DOUBLE_EQ(waited({{0, 0, 1}, {0, 2, 1}, {2, 4, 1}}), 1);
  // Without any start ahead, all are.
  EXPECT_DOUBLE_EQ(waited({{0, 0, 3}, {2, 2, 3}, {4, 4, 3}}), 9);
}

}  // namespace
}  // namespace scalemark::predict
