// SPDX-License-Identifier: Apache-2.0
// Tests with known verdicts, for mpi_main_test.sh.
#include <stdexcept>

#include <gtest/gtest.h>

#include "tests/support/mpi_main.hpp"

namespace scalemark::test {
namespace {

bool last() { return world().rank() == world().size() - 1; }

TEST(Probe, Passes) { EXPECT_EQ(world().sum(1), world().size()); }
TEST(Probe, FailsOnTheLastRank) { EXPECT_FALSE(last()); }
TEST(Probe, ThrowsOnTheLastRank) {
  if (last()) throw std::runtime_error("thrown by a test");
}
TEST(Probe, Skips) { GTEST_SKIP() << "nothing to do"; }

}  // namespace
}  // namespace scalemark::test
