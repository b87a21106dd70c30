// SPDX-License-Identifier: Apache-2.0
// Cases that both sides have but whose values cannot be compared.
#include <cmath>
#include <span>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/compare/compare.hpp"
#include "tests/common/compare/synthetic.hpp"

namespace scalemark::compare {
namespace {

using test::measured;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<RunDigest> two_runs_named(const std::string& name,
                                      const std::vector<CaseResult>& cases) {
  return {test::digest_of(name + "0", cases), test::digest_of(name + "1", cases)};
}

/// Other runs with the same rows.
std::vector<RunDigest> b_again(std::vector<RunDigest> runs) {
  for (RunDigest& run : runs) run.uuid += "again";
  return runs;
}

TEST(Comparable, ValuesWithoutALogarithmAreLeftOutAndFlagged) {
  for (const double value : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    auto a = two_runs_named("a", {measured("m/x", 1, {1000})}),
         b = two_runs_named("b", {measured("m/x", 1, {1000})});
    b[1].rows.begin()->second.value = value;
    const Comparison one = compare(a, b);
    EXPECT_EQ(one.rows[0].runs_b, 1) << value;
    EXPECT_THAT(one.rows[0].flags, ElementsAre("single_run", "unusable_value")) << value;
    b[0].rows.begin()->second.value = value;
    const Comparison all = compare(a, b);
    EXPECT_EQ(all.rows[0].verdict, Verdict::inconclusive) << value;
    EXPECT_TRUE(std::isnan(all.rows[0].b)) << value;
    EXPECT_TRUE(std::isnan(all.rows[0].change)) << value;
    ASSERT_EQ(all.failed.size(), 1U) << value;
    EXPECT_EQ(all.failed[0].b, "unusable") << value;
    EXPECT_TRUE(all.failed[0].counts) << value;
    EXPECT_EQ(compare(b, b_again(b)).verdict(), "NOTHING") << value;
  }
}

TEST(Comparable, OtherMetricsUnderOneKeyAreNotCompared) {
  auto a = two_runs_named("a", {measured("m/x", 1, {1000})}),
       b = two_runs_named("b", {measured("m/x", 1, {9000})});
  for (RunDigest& run : b) run.rows.begin()->second.metric = "time";
  const Comparison result = compare(a, b);
  EXPECT_EQ(result.rows[0].runs_b, 0);
  EXPECT_THAT(result.rows[0].flags, ElementsAre("metric_differs"));
  EXPECT_EQ(result.rows[0].verdict, Verdict::inconclusive);
  ASSERT_EQ(result.failed.size(), 1U);
  EXPECT_EQ(result.failed[0].b, "other metric");
  EXPECT_EQ(result.failed[0].reason,
            "latency in s, lower is better in A; time in s, lower is better in B");
  EXPECT_EQ(result.verdict(), "FAILED");
  EXPECT_EQ(
      result.method,
      "none: no case has a usable value of the same metric on both sides (metric_differs in 1 of "
      "1 row)");
}

TEST(Comparable, WhatAHadNoValueForDoesNotCountAgainstB) {
  auto a = two_runs_named("a", {measured("m/x", 1, {1000}), measured("m/y", 1, {1000})}),
       b = two_runs_named("b", {measured("m/x", 1, {1000}), measured("m/y", 1, {1000})});
  for (RunDigest& run : a) run.rows.begin()->second.value = 0;
  const Comparison result = compare(a, b);
  EXPECT_THAT(result.failed, IsEmpty());
  EXPECT_EQ(result.rows.size(), 2U);
  EXPECT_EQ(result.count_comparable(), 1U);
}

TEST(Comparable, SaysWhyNothingWasTested) {
  const auto a = two_runs_named("a", {measured("m/x", 1, {1000})}),
             b = two_runs_named("b", {measured("m/y", 1, {1000})});
  EXPECT_EQ(compare(a, b).method, "none: no case has a result on both sides");
  EXPECT_EQ(compare(std::span(a).first(1), std::span(a).subspan(1)).method,
            "none: no case has more than one run on a side");
}

}  // namespace
}  // namespace scalemark::compare
