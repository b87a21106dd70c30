// SPDX-License-Identifier: Apache-2.0
// Exposed messages, by hand.
#include "common/predict/step_schedule.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace scalemark::predict {
namespace {

TEST(StepSchedule, HidesMessagesThatEndBeforeTheComputation) {
  const std::vector<ReadyMessage> messages{{1, 2}, {4, 1}};
  EXPECT_DOUBLE_EQ(exposed_seconds(messages, 6), 0);
  EXPECT_DOUBLE_EQ(exposed_seconds(messages, 5), 0);
  EXPECT_DOUBLE_EQ(exposed_seconds(messages, 4), 1) << "the last is ready at the end";
  EXPECT_DOUBLE_EQ(exposed_seconds({}, 4), 0);
}

// The second waits for the first, the third for its gradients.
TEST(StepSchedule, SendsOneAfterTheOther) {
  EXPECT_DOUBLE_EQ(exposed_seconds(std::vector<ReadyMessage>{{1, 5}, {2, 3}, {10, 4}}, 10), 4);
  EXPECT_DOUBLE_EQ(exposed_seconds(std::vector<ReadyMessage>{{1, 5}, {2, 3}, {8, 4}}, 8), 5);
}

}  // namespace
}  // namespace scalemark::predict
