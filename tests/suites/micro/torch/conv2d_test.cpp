// SPDX-License-Identifier: Apache-2.0
// micro/conv2d and micro/layout_conversion as `scalemark run` runs them.
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/run_case.hpp"

namespace scalemark::micro {
namespace {

using test::root;
using ::testing::HasSubstr;
using ::testing::Not;

std::int64_t integer_fact(const CaseResult& result, const char* name) {
  return std::get<std::int64_t>(result.facts.at(name));
}

TEST(Conv2d, StatesItsWorkAndHowOftenTheNetworkDoesIt) {
  const auto results = test::run_cases(
      "micro/conv2d", {"layer=expand8", "image=64", "batch=2", "pass=forward,train"}, 2);
  if (!root()) return;
  ASSERT_EQ(results.size(), 4U);
  for (const CaseResult& result : results) {
    ASSERT_EQ(result.status, Status::ok) << result.reason;
    EXPECT_EQ(result.verification.wrong, 0U);
    EXPECT_EQ(integer_fact(result, "occurrences"), 4) << "blocks 8 to 11 expand 64 to 384";
    // At 64 px that is 1 x 1 from [2, 64, 4, 4] to [2, 384, 4, 4].
    const bool train = result.key.find("pass=train") != std::string::npos;
    const std::int64_t tensors = 2 * 64 * 16 + 64 * 384 + 2 * 384 * 16;
    EXPECT_EQ(integer_fact(result, "moved_bytes"), (train ? 3 : 1) * 4 * tensors);
    EXPECT_DOUBLE_EQ(result.find("bandwidth")->numerator, (train ? 3.0 : 1.0) * 4 * tensors);
    EXPECT_DOUBLE_EQ(result.find("achieved_flops")->numerator,
                     (train ? 6.0 : 2.0) * 2 * 16 * 64 * 384);
    EXPECT_THAT(result.key, Not(HasSubstr("precision"))) << "old results keep their keys";
    EXPECT_THAT(result.key, Not(HasSubstr("autotune")));
  }
}

TEST(Conv2d, EveryPrecisionIsMeasuredAndRightOrSkippedWithItsReason) {
  const auto results = test::run_cases("micro/conv2d",
                                       {"layer=stem,depthwise2,expand2", "image=32", "batch=2",
                                        "pass=train", "precision=fp64,fp32,tf32,bf16,fp16"},
                                       2);
  if (!root()) return;
  ASSERT_EQ(results.size(), 30U);
  for (const CaseResult& result : results) {
    const std::string& precision = result.params.text("precision");
    if (precision == "tf32") {
      EXPECT_EQ(result.status, Status::skipped);
      EXPECT_EQ(result.reason, "tf32 is a format of NVIDIA GPUs");
    } else if (precision == "bf16" || precision == "fp16") {  // what the CPU can do decides
      const bool skipped = result.status == Status::skipped;
      EXPECT_TRUE(skipped || result.status == Status::ok) << result.reason;
      EXPECT_EQ(skipped, result.reason.find("in " + precision) != std::string::npos);
    } else {
      EXPECT_EQ(result.status, Status::ok) << result.reason;
    }
    if (result.status == Status::ok) {
      EXPECT_GT(result.verification.checked, 2 * 64U) << "gradients, too";
      EXPECT_EQ(result.verification.wrong, 0U);
    }
  }
}

TEST(Conv2d, CpusHaveNothingToTune) {
  const auto results = test::run_cases(
      "micro/conv2d", {"layer=stem", "image=32", "batch=1", "autotune=true", "pass=forward"}, 1);
  if (!root()) return;
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].status, Status::skipped);
  EXPECT_THAT(results[0].reason, HasSubstr("cuDNN"));
}

TEST(LayoutConversion, CountsWhatIsReadAndWritten) {
  const auto results =
      test::run_cases("micro/layout_conversion",
                      {"layer=depthwise2", "image=32", "batch=2", "precision=fp64,bf16"}, 3);
  if (!root()) return;
  ASSERT_EQ(results.size(), 4U);
  for (const CaseResult& result : results) {
    ASSERT_EQ(result.status, Status::ok) << result.reason;
    const std::int64_t elements = 2 * 96 * 16 * 16;
    const std::int64_t width = result.key.find("bf16") == std::string::npos ? 8 : 2;
    EXPECT_EQ(integer_fact(result, "moved_bytes"), 2 * width * elements);
    EXPECT_EQ(result.primary_metric, "bandwidth");
    EXPECT_DOUBLE_EQ(result.find("bandwidth")->numerator,
                     2 * static_cast<double>(width * elements));
    const auto ranks = static_cast<std::uint64_t>(test::world().size());
    EXPECT_EQ(result.verification.checked, 2 * ranks * static_cast<std::uint64_t>(elements))
        << "after the first and after the last one";
    EXPECT_EQ(result.verification.wrong, 0U);
    EXPECT_NE(result.find("peak_fraction") != nullptr, result.facts.contains("peak_missing"))
        << "what part of the memory's peak, or why that is not known";
  }
}

}  // namespace
}  // namespace scalemark::micro
