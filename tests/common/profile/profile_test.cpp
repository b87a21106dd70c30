// SPDX-License-Identifier: Apache-2.0
// Where no GPU can be watched, a profile says so, and nothing fails. tests/gpu checks what it
// counts.
#include "common/profile/profile.hpp"

#include <gtest/gtest.h>

#include "common/base/error.hpp"

namespace scalemark::profile {
namespace {

TEST(Profile, WithoutCuptiThereIsNoneWithTheReason) {
  const std::string reason = why_not();
  if (reason.empty()) GTEST_SKIP() << "CUPTI is there";
  try {
    make_profile();
    FAIL() << "made";
  } catch (const Unavailable& error) {
    EXPECT_EQ(error.what(), reason);
  }
}

TEST(Profile, WithoutAGpuItHasAProblemOrCountsNothing) {
  if (const std::string reason = why_not(); !reason.empty()) GTEST_SKIP() << reason;
  const auto profile = make_profile();
  profile->stop();  // not started
  profile->start();
  profile->stop();
  EXPECT_EQ(profile->totals().all_copies.count, 0U);
  EXPECT_EQ(profile->totals().all_kernels.count, 0U);
  if (profile->problem().empty()) {
    EXPECT_GT(profile->totals().watched, 0U);
  } else {
    EXPECT_NE(profile->problem().find(": "), std::string::npos) << profile->problem();
  }
}

}  // namespace
}  // namespace scalemark::profile
