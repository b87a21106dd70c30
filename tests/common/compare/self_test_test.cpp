// SPDX-License-Identifier: Apache-2.0
// The A/A test on runs with known noise.
#include "common/compare/planning/self_test.hpp"

#include <cmath>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/compare/print/planning.hpp"
#include "tests/common/compare/synthetic.hpp"
#include "tests/support/generated_runs.hpp"

namespace scalemark::compare {
namespace {

using testing::HasSubstr;
using testing::Not;

/// One row; each run takes the given time in ns.
std::vector<RunDigest> runs_of(const std::vector<std::uint64_t>& times) {
  std::vector<RunDigest> runs;
  for (const std::uint64_t time : times) {
    std::string name("r");
    name += std::to_string(runs.size());
    runs.push_back(test::digest_of(name, {test::measured("micro/x", 8, {time})}));
  }
  return runs;
}

std::vector<RunDigest> noisy_runs(int count, std::uint64_t seed) {
  const test::Scenario scenario{.runs_a = count, .runs_b = 1, .run_sd = 0.01, .rows_differ = true};
  return test::digests(test::generate(scenario, seed), true);
}

TEST(SelfTest, NeedsFourRuns) {
  try {
    self_test(runs_of({100, 101, 102}));
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--aa"));
    EXPECT_THAT(error.what(), HasSubstr("at least 4 runs; 3 given"));
  }
}

TEST(SelfTest, SplitsAllWaysOrSoManyOfThem) {
  // C(4,2)/2, C(5,2), C(6,3)/2, C(7,3); C(12,6)/2 = 462 is over the limit.
  const std::vector<std::pair<std::size_t, std::size_t>> expected = {
      {4, 3}, {5, 10}, {6, 10}, {7, 35}, {8, 35}};
  for (const auto& [runs, splits] : expected) {
    const SelfTest test = self_test(runs_of(std::vector<std::uint64_t>(runs, 1000000)));
    EXPECT_EQ(test.splits, splits);
    EXPECT_TRUE(test.all_ways);
    EXPECT_EQ(test.runs_a + test.runs_b, runs);
  }
  const SelfTest test = self_test(runs_of(std::vector<std::uint64_t>(12, 1000000)));
  EXPECT_EQ(test.splits, 200U);
  EXPECT_FALSE(test.all_ways);
  SelfTestOptions quick;
  quick.max_tests = 25;
  EXPECT_EQ(self_test(runs_of(std::vector<std::uint64_t>(12, 1000000)), quick).splits, 25U);
}

// Two runs of one benchmark and three of another. In the split compared last, no case is on both
// sides; in other splits, one run against two can be tested.
TEST(SelfTest, NamesTheTestOfTheSplitThatTestsMost) {
  std::vector<RunDigest> runs;
  for (const char* name : {"m/x", "m/x", "m/y", "m/y", "m/y"}) {
    std::string id("r");
    id += std::to_string(runs.size());
    runs.push_back(test::digest_of(id, {test::measured(name, 8, {1000000})}));
  }
  const SelfTest some = self_test(runs);
  EXPECT_EQ(some.tests, 9U);  // 2 * 3 splits with one of each kind in A, 3 with two of the second
  EXPECT_THAT(some.method, HasSubstr("Welch's t"));
  EXPECT_THAT(some.method, HasSubstr("down to 0)"));
  runs.pop_back();
  const SelfTest untested = self_test(runs);
  EXPECT_EQ(untested.tests, 0U);
  EXPECT_THAT(untested.method, HasSubstr("none: "));
  EXPECT_THAT(self_test(runs_of({100, 101, 102, 103})).method, Not(HasSubstr("fewer")));
}

TEST(SelfTest, FindsTheOneSplitThatLooksLikeAChange) {
  // Two runs at 1 ms, two at 1.2 ms: one of the three splits compares them with each other.
  const SelfTest test = self_test(runs_of({1000000, 1000100, 1200000, 1200100}));
  EXPECT_EQ(test.splits, 3U);
  EXPECT_EQ(test.false_tables, 1U);
  EXPECT_EQ(test.false_verdicts, 1U);
  EXPECT_EQ(test.raw, 1U);
  EXPECT_EQ(test.tests, 3U);
  ASSERT_EQ(test.rows.size(), 1U);
  EXPECT_EQ(test.rows[0].key, "micro/x bytes=8 ranks=2");
  EXPECT_EQ(test.rows[0].false_verdicts, 1U);
  EXPECT_NEAR(test.rows[0].largest, 0.2, 1e-3);
}

TEST(SelfTest, RejectsFivePercentOfTheRowsOfQuietRuns) {
  std::size_t raw = 0, tests = 0, tables = 0, splits = 0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const SelfTest test = self_test(noisy_runs(6, seed));
    raw += test.raw;
    tests += test.tests;
    tables += test.false_tables;
    splits += test.splits;
    EXPECT_EQ(test.tests, test.splits * 200);
  }
  EXPECT_NEAR(static_cast<double>(raw) / static_cast<double>(tests), 0.05, 0.015);
  EXPECT_LE(tables, splits / 10);
}

TEST(SelfTest, DetectsWhatTheFormulaSays) {
  // 200 rows of one spread, 1 %, ten runs: df = 20 + 18, level 0.05 * 0.1 * 0.8 = 0.004,
  // t(0.996; 38) + t(0.8; 38) = 2.800 + 0.851 (R: qt), times 0.01 sqrt(2 / 10), plus ln 1.01.
  std::mt19937_64 random(7);
  SelfTestOptions few;
  few.max_splits = 1;
  const SelfTest test = self_test(test::noisy_side("r", 10, 200, 0.01, random), few);
  EXPECT_NEAR(test.typical_spread, 0.01, 0.0007);
  EXPECT_NEAR(test.detectable, std::expm1(std::log(1.01) + 3.651 * 0.01 * std::sqrt(0.2)), 0.0015);
}

TEST(SelfTest, IsTheSameWhateverTheOrderOfTheRuns) {
  std::vector<RunDigest> runs = noisy_runs(6, 3);
  const SelfTest before = self_test(runs);
  std::swap(runs[0], runs[4]);
  std::swap(runs[1], runs[3]);
  const SelfTest after = self_test(runs);
  EXPECT_EQ(after.raw, before.raw);
  EXPECT_EQ(after.false_verdicts, before.false_verdicts);
  EXPECT_DOUBLE_EQ(after.detectable, before.detectable);
}

TEST(SelfTest, NamesFailedAndMissingCases) {
  std::vector<RunDigest> runs = runs_of({1000, 1001, 1002, 1003});
  runs[1] = test::digest_of("r1", {test::unmeasured("micro/x", 8, Status::failed, "boom"),
                                   test::measured("micro/y", 8, {5})});
  for (RunDigest& run : runs) run.environment["kernel"] = "6.1";
  runs[2].environment["kernel"] = "6.2";
  runs[3].environment["glibc"] = "2.36";
  const SelfTest test = self_test(runs);
  EXPECT_THAT(test.failed, testing::ElementsAre("micro/x bytes=8 ranks=2"));
  EXPECT_THAT(test.incomplete, testing::ElementsAre("micro/y bytes=8 ranks=2"));
  ASSERT_EQ(test.environment.size(), 1U);
  EXPECT_EQ(test.environment[0].fact, "kernel");
  ASSERT_EQ(test.environment_one_side.size(), 1U);
  EXPECT_EQ(test.environment_one_side[0].fact, "glibc");
}

TEST(SelfTestPrint, HasTextAndJson) {
  const SelfTest test = self_test(runs_of({1000000, 1000100, 1200000, 1200100}));
  std::ostringstream text;
  print_self_test(test, "text", text);
  EXPECT_THAT(text.str(), HasSubstr("4 runs, split into 2 v 2 in all 3 ways"));
  EXPECT_THAT(text.str(), HasSubstr("splits with a false verdict: 1 of 3 (33.3 %"));
  EXPECT_THAT(text.str(), HasSubstr("micro/x bytes=8 ranks=2"));
  std::ostringstream json;
  print_self_test(test, "json", json);
  const nlohmann::json document = nlohmann::json::parse(json.str());
  EXPECT_EQ(document.at("format"), "scalemark-self-test");
  EXPECT_EQ(document.at("version"), 1);
  EXPECT_EQ(document.at("false_tables"), 1);
  EXPECT_NEAR(document.at("raw_rate").get<double>(), 1.0 / 3, 1e-12);
  EXPECT_EQ(document.at("rows").at(0).at("false_verdicts"), 1);
  EXPECT_THROW(print_self_test(test, "csv", json), UsageError);
}

}  // namespace
}  // namespace scalemark::compare
