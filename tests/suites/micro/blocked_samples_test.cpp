// SPDX-License-Identifier: Apache-2.0
// Samples behind a kernel that gives up: discarded, counted, and not for ever.
#include "suites/micro/launch/blocked_samples.hpp"

#include <gtest/gtest.h>

#include "common/base/error.hpp"

namespace scalemark::micro {
namespace {

TEST(BlockedSamples, TakesAnewWhatGaveUp) {
  BlockedSamples samples;
  int attempts = 0;
  const auto every_third = [&]() -> std::optional<std::uint64_t> {
    ++attempts;
    if (attempts % 3 != 0) return std::nullopt;
    return 100 * static_cast<std::uint64_t>(attempts);
  };
  EXPECT_EQ(samples.take(every_third), 300U);
  EXPECT_EQ(samples.discarded(), 2);
  EXPECT_EQ(samples.take(every_third), 600U);
  EXPECT_EQ(samples.discarded(), 4);
}

TEST(BlockedSamples, ZeroNanosecondsIsASample) {
  BlockedSamples samples;
  EXPECT_EQ(samples.take([] { return std::optional<std::uint64_t>(0); }), 0U);
  EXPECT_EQ(samples.discarded(), 0);
}

TEST(BlockedSamples, EndsWhereEveryAttemptGivesUp) {
  BlockedSamples samples;
  int attempts = 0;
  EXPECT_THROW(samples.take([&]() -> std::optional<std::uint64_t> {
    ++attempts;
    return std::nullopt;
  }),
               Error);
  EXPECT_EQ(attempts, 10);
  EXPECT_EQ(samples.discarded(), 10);
}

}  // namespace
}  // namespace scalemark::micro
