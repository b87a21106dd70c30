// SPDX-License-Identifier: Apache-2.0
// micro/burn_in as `scalemark run` runs it.
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/run_case.hpp"

namespace scalemark::micro {
namespace {

TEST(BurnIn, RecordsEachIntervalAndComparesItsResult) {
  const auto results =
      test::run_cases("micro/burn_in", {"seconds=1", "rows=64", "precision=fp64,fp32,bf16"});
  if (!test::root()) return;
  ASSERT_EQ(results.size(), 3U);
  for (const CaseResult& result : results) {
    ASSERT_EQ(result.status, Status::ok) << result.key << ": " << result.reason;
    EXPECT_EQ(result.primary_metric, "achieved_flops");
    EXPECT_DOUBLE_EQ(result.find("achieved_flops")->numerator, 2.0 * 64 * 64 * 64);
    const Samples& times = result.find("time")->samples;
    const auto ranks = static_cast<std::size_t>(test::world().size());
    ASSERT_EQ(times.iterations, 20U) << "of a twentieth of a second";
    EXPECT_EQ(times.ranks, ranks);
    for (std::size_t i = 0; i < times.iterations; ++i) EXPECT_GT(times.value(0, i), 0);
    EXPECT_EQ(result.find("lost_rate")->samples.iterations, 1U);
    EXPECT_EQ(result.verification.checked, 20U * 64 * 64 * ranks);
    EXPECT_EQ(result.verification.wrong, 0U);
  }
}

}  // namespace
}  // namespace scalemark::micro
