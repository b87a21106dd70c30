// SPDX-License-Identifier: Apache-2.0
// Detectable differences, power and runs needed against t tables.
#include "common/stats/power.hpp"

#include <gtest/gtest.h>

namespace scalemark::stats {
namespace {

// t tables: t(.95, 4) = 2.1318, t(.8, 4) = 0.9410; (2.1318 + 0.9410) * 1 % * sqrt(2/3) = 2.509 %.
// And t(.95, 18) = 1.7341, t(.8, 18) = 0.8620: 2.5961 * 1 % * sqrt(2/10) = 1.161 %.
TEST(Detectable, FollowsTheTables) {
  EXPECT_NEAR(detectable(1e-4, 4, 3, 3), 0.02509, 2e-6);
  EXPECT_NEAR(detectable(1e-4, 18, 10, 10), 0.01161, 2e-6);
}

// Of the same tables, for 1 %: 13 runs give 2.5680 * sqrt(2/13) = 1.0073 %, 14 give 2.5618 *
// sqrt(2/14) = 0.9683 % (t(.95, 24) = 1.7109, t(.8, 24) = 0.8569; t(.95, 26) = 1.7056, .8557).
TEST(RunsNeeded, IsTheLeastNumberThatFindsTheThreshold) {
  EXPECT_EQ(runs_needed(1e-4, 0, 0.01), 14);
  EXPECT_EQ(runs_needed(1e-10, 0, 0.01), 2);
  EXPECT_EQ(runs_needed(1, 0, 0.01), 1000);
  EXPECT_LT(runs_needed(1e-4, 20, 0.01), 14);
}

TEST(Power, IsTheInverseOfDetectable) {
  for (const double power : {0.3, 0.8, 0.95}) {
    const double beyond = detectable(1e-4, 9, 5, 3, 0.05, power);
    EXPECT_NEAR(power_of(beyond, 1e-4, 9, 5, 3), power, 1e-12);
  }
  EXPECT_NEAR(power_of(0, 1e-4, 9, 5, 3), 0.05, 1e-12) << "at the threshold: the level of the test";
  EXPECT_EQ(power_of(0.1, 0, 9, 5, 3), 1);
  EXPECT_EQ(power_of(-0.1, 0, 9, 5, 3), 0);
}

}  // namespace
}  // namespace scalemark::stats
