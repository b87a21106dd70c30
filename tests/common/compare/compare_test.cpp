// SPDX-License-Identifier: Apache-2.0
// What a comparison must find, and what it must not find.
#include "common/compare/compare.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "tests/common/compare/synthetic.hpp"

namespace scalemark::compare {
namespace {

using test::digest_of;
using test::measured;
using test::noisy_side;
using test::unmeasured;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const CompareRow& row_of(const Comparison& comparison, const std::string& key) {
  const auto found = std::find_if(comparison.rows.begin(), comparison.rows.end(),
                                  [&](const CompareRow& row) { return row.key == key; });
  if (found == comparison.rows.end()) throw std::out_of_range(key);
  return *found;
}

std::string key_of(std::size_t g) {
  return "micro/allreduce bytes=" + std::to_string(g + 1) + " ranks=2";
}

// Reachable rate with five runs a side (README of the golden values): 0.6 % of tables.
TEST(Compare, StaysSilentOnEqualSides) {
  int tables_with_a_finding = 0;
  std::mt19937_64 random(1);
  for (int table = 0; table < 100; ++table) {
    const auto a = noisy_side("a", 5, 40, 0.01, random), b = noisy_side("b", 5, 40, 0.01, random);
    const Comparison result = compare(a, b);
    ASSERT_EQ(result.rows.size(), 40U);
    if (result.count(Verdict::regression) + result.count(Verdict::improved) > 0)
      ++tables_with_a_finding;
    EXPECT_NEAR(result.median_change, 0, 0.005);
  }
  EXPECT_LE(tables_with_a_finding, 3);
}

TEST(Compare, CallsQuietEqualRowsSame) {
  std::mt19937_64 random(2);
  const auto a = noisy_side("a", 5, 30, 0.0005, random), b = noisy_side("b", 5, 30, 0.0005, random);
  const Comparison result = compare(a, b);
  EXPECT_EQ(result.count(Verdict::same), 30U);
  EXPECT_EQ(result.verdict(), "SAME");
}

// Reachable power for 10 % at spread 1 %, three runs a side: 99 %.
TEST(Compare, FindsPlantedRegressions) {
  std::mt19937_64 random(3);
  std::size_t found = 0, wrong = 0;
  for (int table = 0; table < 50; ++table) {
    const auto a = noisy_side("a", 3, 40, 0.01, random),
               b = noisy_side("b", 3, 40, 0.01, random, 1.1, 4);
    const Comparison result = compare(a, b);
    EXPECT_EQ(result.verdict(), "REGRESSION");
    for (std::size_t g = 0; g < 40; ++g) {
      const bool called = row_of(result, key_of(g)).verdict == Verdict::regression;
      (g < 4 ? found : wrong) += called ? 1 : 0;
    }
  }
  EXPECT_GE(found, 190U);  // of 200
  EXPECT_LE(wrong, found * 6 / 100);
}

TEST(Compare, ShowsWorstRowsFirst) {
  std::mt19937_64 random(4);
  const auto a = noisy_side("a", 5, 30, 0.002, random),
             b = noisy_side("b", 5, 30, 0.002, random, 1.2, 2);
  const Comparison result = compare(a, b);
  EXPECT_EQ(result.rows[0].verdict, Verdict::regression);
  EXPECT_EQ(result.rows[1].verdict, Verdict::regression);
  EXPECT_NEAR(result.rows[0].change, 0.2, 0.02);
  EXPECT_LT(result.rows[0].low, 0.2);
  EXPECT_GT(result.rows[0].high, 0.19);
}

TEST(Compare, SwappingTheSidesNegates) {
  std::mt19937_64 random(5);
  const auto a = noisy_side("a", 3, 25, 0.01, random),
             b = noisy_side("b", 4, 25, 0.01, random, 1.15, 3);
  const Comparison forward = compare(a, b), backward = compare(b, a);
  EXPECT_EQ(forward.count(Verdict::regression), backward.count(Verdict::improved));
  EXPECT_GE(forward.count(Verdict::regression), 3U);
  for (const CompareRow& row : forward.rows) {
    const CompareRow& other = row_of(backward, row.key);
    EXPECT_NEAR((1 + row.change) * (1 + other.change), 1, 1e-12);
    EXPECT_NEAR((1 + row.low) * (1 + other.high), 1, 1e-12);
    EXPECT_NEAR(row.p, other.p, 1e-12);
    EXPECT_NEAR(row.q, other.q, 1e-12);
  }
}

void expect_same_statistics(const Comparison& left, const Comparison& right) {
  ASSERT_EQ(left.rows.size(), right.rows.size());
  for (const CompareRow& row : left.rows) {
    const CompareRow& other = row_of(right, row.key);
    EXPECT_NEAR(row.change, other.change, 1e-9);
    EXPECT_NEAR(row.p, other.p, 1e-9);
    EXPECT_EQ(row.verdict, other.verdict);
  }
}

TEST(Compare, DoesNotDependOnTheOrderOfRuns) {
  std::mt19937_64 random(6);
  auto a = noisy_side("a", 4, 25, 0.01, random), b = noisy_side("b", 4, 25, 0.01, random, 1.1, 5);
  const Comparison before = compare(a, b);
  std::reverse(a.begin(), a.end());
  std::rotate(b.begin(), b.begin() + 1, b.end());
  for (RunDigest& run : b) std::reverse(run.keys.begin(), run.keys.end());
  expect_same_statistics(before, compare(a, b));
}

TEST(Compare, DoesNotDependOnTheUnit) {
  std::mt19937_64 random(7);
  auto a = noisy_side("a", 3, 25, 0.01, random), b = noisy_side("b", 3, 25, 0.01, random, 1.1, 5);
  const Comparison before = compare(a, b);
  for (auto* side : {&a, &b}) {
    for (RunDigest& run : *side) {
      for (auto& [key, row] : run.rows) {
        row.value *= 1e6;
        row.unit = "us";
      }
    }
  }
  expect_same_statistics(before, compare(a, b));
}

std::vector<RunDigest> with_primary(const std::vector<std::uint64_t>& times,
                                    const std::string& metric, const std::string& name) {
  std::vector<RunDigest> side;
  for (std::size_t r = 0; r < times.size(); ++r) {
    CaseResult one = measured("micro/memcpy", 4096, {times[r]});
    one.primary_metric = metric;
    side.push_back(digest_of(name + std::to_string(r), {one}));
  }
  return side;
}

TEST(Compare, RatesTellTheSameAsTheirTimes) {
  const std::vector<std::uint64_t> fast = {100000, 100400, 99800}, slow = {120000, 120300, 119500};
  const Comparison time =
      compare(with_primary(fast, "latency", "a"), with_primary(slow, "latency", "b"));
  const Comparison rate =
      compare(with_primary(fast, "bandwidth", "a"), with_primary(slow, "bandwidth", "b"));
  EXPECT_EQ(time.rows[0].verdict, Verdict::regression);
  EXPECT_EQ(rate.rows[0].verdict, Verdict::regression);
  EXPECT_GT(time.rows[0].change, 0);
  EXPECT_LT(rate.rows[0].change, 0);
  EXPECT_NEAR((1 + time.rows[0].change) * (1 + rate.rows[0].change), 1, 1e-9);
  EXPECT_NEAR(time.rows[0].p, rate.rows[0].p, 1e-9);
  EXPECT_NEAR(time.median_change, rate.median_change, 1e-9);
}

TEST(Compare, RefusesARunGivenTwice) {
  std::mt19937_64 random(8);
  const auto a = noisy_side("a", 2, 2, 0.01, random), b = noisy_side("b", 2, 2, 0.01, random);
  auto twice = b;
  twice.push_back(b[0]);
  EXPECT_THROW(compare(a, twice), UsageError);
  auto shared = b;
  shared.push_back(a[1]);
  try {
    compare(a, shared);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a1.h5"));
  }
}

TEST(Compare, RefusesAnEmptySide) {
  std::mt19937_64 random(9);
  const auto a = noisy_side("a", 2, 2, 0.01, random);
  EXPECT_THROW(compare(a, {}), UsageError);
  EXPECT_THROW(compare({}, a), UsageError);
}

TEST(Compare, OneRunASideIsInconclusive) {
  std::mt19937_64 random(10);
  const auto a = noisy_side("a", 1, 30, 0.01, random),
             b = noisy_side("b", 1, 30, 0.01, random, 2, 30);
  const Comparison result = compare(a, b);
  EXPECT_EQ(result.count(Verdict::inconclusive), 30U);
  EXPECT_EQ(result.verdict(), "INCONCLUSIVE");
  for (const CompareRow& row : result.rows) {
    EXPECT_TRUE(std::isnan(row.p));
    EXPECT_NEAR(row.change, 1, 0.2);
    EXPECT_THAT(row.flags, ElementsAre("single_run"));
    EXPECT_FALSE(row.runs_needed);
  }
  CompareOptions options;
  options.single_run_threshold = 0.5;
  EXPECT_THAT(compare(a, b, options).rows[0].flags, Contains("over_single_run_threshold"));
  EXPECT_THAT(compare(b, a, options).rows[0].flags, ElementsAre("single_run"));
}

// Golden README: five base runs against one, 10 % on a tenth of 200 rows, is found with 96 %.
TEST(Compare, OneNewRunBorrowsTheVarianceOfTheBase) {
  std::mt19937_64 random(11);
  const auto a = noisy_side("a", 5, 200, 0.008, random),
             b = noisy_side("b", 1, 200, 0.008, random, 1.1, 20);
  const Comparison result = compare(a, b);
  EXPECT_GE(result.count(Verdict::regression), 17U);
  EXPECT_LE(result.count(Verdict::regression), 22U);
}

TEST(Compare, FewRowsStandAlone) {
  std::mt19937_64 random(12);
  const auto a = noisy_side("a", 5, 3, 0.003, random),
             b = noisy_side("b", 5, 3, 0.003, random, 1.3, 1);
  const Comparison result = compare(a, b);
  EXPECT_THAT(result.method, HasSubstr("Welch"));
  EXPECT_EQ(row_of(result, key_of(0)).verdict, Verdict::regression);
}

TEST(Compare, InconclusiveRowsSayHowManyRunsDecide) {
  std::mt19937_64 random(13);
  const auto a = noisy_side("a", 3, 30, 0.03, random), b = noisy_side("b", 3, 30, 0.03, random);
  for (const CompareRow& row : compare(a, b).rows) {
    if (row.verdict != Verdict::inconclusive) continue;
    ASSERT_TRUE(row.runs_needed);
    // No change, a spread of 3 % and a threshold of 1 %: about (1.65 + 1.28)^2 * 2 * 9 = 155 runs
    // show SAME; what looks like a change needs more of them.
    EXPECT_GT(*row.runs_needed, 60);
    if (std::abs(row.change) < 0.02) {
      EXPECT_LT(*row.runs_needed, 400);
    }
  }
}

TEST(Compare, EqualValuesWithoutNoiseAreDecided) {
  const auto side = [](const std::string& name, double value) {
    std::vector<RunDigest> runs;
    for (int r = 0; r < 3; ++r) {
      RunDigest run = digest_of(name + std::to_string(r), {measured("imaging/train", 1, {5})});
      RowDigest& row = run.rows.begin()->second;
      row.value = value;
      row.better = Better::higher;
      row.relative_resolution = 0;
      runs.push_back(run);
    }
    return runs;
  };
  EXPECT_EQ(compare(side("a", 0.9), side("b", 0.9)).rows[0].verdict, Verdict::same);
  EXPECT_EQ(compare(side("a", 0.9), side("b", 0.8)).rows[0].verdict, Verdict::regression);
  EXPECT_EQ(compare(side("a", 0.8), side("b", 0.9)).rows[0].verdict, Verdict::improved);
}

// Times of 10 ns on a 1 ns clock: equal medians in all runs do not mean a variance of zero.
TEST(Compare, AStepOfTheClockIsNoChange) {
  const auto side = [](const std::string& name, std::uint64_t time) {
    const auto run = [&](const char* number) {
      return digest_of(name + number, {measured("m/x", 1, {time})});
    };
    return std::vector<RunDigest>{run("0"), run("1"), run("2")};
  };
  const Comparison step = compare(side("a", 10), side("b", 11));
  EXPECT_EQ(step.rows[0].verdict, Verdict::inconclusive);
  EXPECT_THAT(step.rows[0].flags, ElementsAre("clock_step"));
  EXPECT_EQ(compare(side("a", 11), side("b", 10)).rows[0].verdict, Verdict::inconclusive);
  EXPECT_EQ(compare(side("a", 10), side("b", 15)).rows[0].verdict, Verdict::regression);
  EXPECT_EQ(compare(side("a", 10000), side("b", 11000)).rows[0].verdict, Verdict::regression);
}

std::vector<RunDigest> two_runs(const std::string& name, const std::vector<CaseResult>& cases) {
  return {digest_of(name + "0", cases), digest_of(name + "1", cases)};
}

TEST(Compare, CountsMissingAndNewRows) {
  const CaseResult x = measured("m/x", 1, {1000}), y = measured("m/y", 1, {1000}),
                   z = measured("m/z", 1, {1000});
  const CaseResult skipped = unmeasured("m/z", 1, Status::skipped, "no GPU");
  const Comparison result =
      compare(two_runs("a", {x, y, z}), two_runs("b", {x, skipped, measured("m/w", 1, {5})}));
  EXPECT_EQ(result.rows.size(), 1U);
  EXPECT_THAT(result.only_a, ElementsAre(y.key, z.key));
  EXPECT_THAT(result.only_b, ElementsAre("m/w bytes=1 ranks=2"));
  EXPECT_EQ(result.verdict(), "MISSING");
}

TEST(Compare, NothingInCommonIsNothing) {
  const Comparison result =
      compare(two_runs("a", {unmeasured("m/x", 1, Status::skipped, "no GPU")}),
              two_runs("b", {measured("m/x", 1, {5})}));
  EXPECT_TRUE(result.rows.empty());
  EXPECT_EQ(result.verdict(), "NOTHING");
}

TEST(Compare, NewFailuresCountAgainstB) {
  const CaseResult good = measured("m/x", 1, {1000});
  const auto bad = [](Status status) { return unmeasured("m/x", 1, status, "boom"); };
  const auto counted = [&](const CaseResult& a, const CaseResult& b) {
    const Comparison result = compare(two_runs("a", {a}), two_runs("b", {b}));
    EXPECT_EQ(result.failed.size(), 1U);
    EXPECT_TRUE(result.rows.empty());
    EXPECT_TRUE(result.only_a.empty());
    return result.count_failed() == 1;
  };
  EXPECT_TRUE(counted(good, bad(Status::failed)));
  EXPECT_TRUE(counted(good, bad(Status::timeout)));
  EXPECT_TRUE(counted(good, bad(Status::oom)));
  EXPECT_TRUE(counted(bad(Status::failed), bad(Status::failed)));
  EXPECT_FALSE(counted(bad(Status::oom), bad(Status::oom)));
  EXPECT_FALSE(counted(bad(Status::failed), good));
  CaseResult wrong = good;
  wrong.verification.wrong = 3;
  EXPECT_TRUE(counted(good, wrong));
}

TEST(Compare, AFailureInOneRunOfSeveralIsSeen) {
  const CaseResult good = measured("m/x", 1, {1000});
  std::vector<RunDigest> b = two_runs("b", {good});
  b.push_back(digest_of("b2", {unmeasured("m/x", 1, Status::timeout, "stuck")}));
  const Comparison result = compare(two_runs("a", {good}), b);
  ASSERT_EQ(result.rows.size(), 1U);
  EXPECT_EQ(result.rows[0].runs_b, 2);
  EXPECT_THAT(result.rows[0].flags, ElementsAre("missing_runs"));
  ASSERT_EQ(result.failed.size(), 1U);
  EXPECT_EQ(result.failed[0].b, "timeout");
  EXPECT_EQ(result.failed[0].reason, "stuck");
  EXPECT_EQ(result.verdict(), "FAILED");
}

TEST(Compare, FlagsOtherConfigurationsAndMetricsWithoutDirection) {
  auto a = two_runs("a", {measured("m/x", 1, {1000000})}),
       b = two_runs("b", {measured("m/x", 1, {1500000})});
  b[0].rows.begin()->second.config_hash = "other";
  EXPECT_THAT(compare(a, b).rows[0].flags, ElementsAre("config_differs"));
  for (auto* side : {&a, &b}) {
    for (RunDigest& run : *side) run.rows.begin()->second.better = Better::none;
  }
  const Comparison result = compare(a, b);
  EXPECT_THAT(result.rows[0].flags, Contains("no_direction"));
  EXPECT_EQ(result.rows[0].verdict, Verdict::inconclusive);
  EXPECT_TRUE(std::isnan(result.rows[0].p));
}

TEST(Compare, NotesIncompleteRuns) {
  auto a = two_runs("a", {measured("m/x", 1, {1000})}),
       b = two_runs("b", {measured("m/x", 1, {1000})});
  EXPECT_THAT(compare(a, b).notes, IsEmpty());
  b[1].complete = false;
  b[1].planned = 7;
  EXPECT_THAT(compare(a, b).notes, ElementsAre("B: b1.h5 is not complete, 1 of 7 planned cases"));
}

TEST(Compare, ThresholdDecidesWhatMatters) {
  std::mt19937_64 random(14);
  const auto a = noisy_side("a", 5, 30, 0.002, random),
             b = noisy_side("b", 5, 30, 0.002, random, 1.03, 30);
  CompareOptions coarse;
  coarse.threshold = 0.1;
  EXPECT_EQ(compare(a, b).count(Verdict::regression), 30U);
  EXPECT_EQ(compare(a, b, coarse).count(Verdict::same), 30U);
}

}  // namespace
}  // namespace scalemark::compare
