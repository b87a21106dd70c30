// SPDX-License-Identifier: Apache-2.0
// Whole runs: their shift, means over rows, and paired runs.
#include "common/compare/run_effects.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/compare/compare.hpp"
#include "tests/common/compare/synthetic.hpp"

namespace scalemark::compare {
namespace {

using test::measured;
using test::noisy_run;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

RunDigest shifted_run(const std::string& uuid, double factor, std::mt19937_64& random,
                      double first_row = 1) {
  return noisy_run(uuid, 40, 0.002, random,
                   [&](std::size_t g) { return factor * (g == 0 ? first_row : 1); });
}

/// Exact times of two cases: hand-worked numbers.
RunDigest exact_run(const std::string& uuid, std::uint64_t x, std::uint64_t y) {
  return test::digest_of(uuid, {measured("m/x", 1, {x}), measured("m/y", 1, {y})});
}

// Changes of 10, 21 and 0 % in the three rows: the median is 10 %.
TEST(WholeRunShift, IsTheMiddleRow) {
  const auto run = [](const std::string& uuid, std::uint64_t x, std::uint64_t y, std::uint64_t z) {
    return test::digest_of(
        uuid, {measured("m/x", 1, {x}), measured("m/y", 1, {y}), measured("m/z", 1, {z})});
  };
  const Comparison result = compare(std::vector{run("a", 1000000, 1000000, 1000000)},
                                    std::vector{run("b", 1100000, 1210000, 1000000)});
  EXPECT_NEAR(result.shift.change, 0.1, 1e-9);
  EXPECT_EQ(result.shift.rows, 3U);
  EXPECT_TRUE(std::isnan(result.shift.low));
  EXPECT_FALSE(result.shift.removed);
}

// Two of the three rows are rates: 10 % more time is 10 % more cost there, too.
TEST(WholeRunShift, IsOfTheCost) {
  const auto run = [](const std::string& uuid, std::uint64_t time) {
    std::vector<CaseResult> cases = {measured("m/x", 1, {time}), measured("m/y", 1, {time}),
                                     measured("m/z", 1, {time})};
    for (const std::size_t i : {1U, 2U}) cases[i].primary_metric = "bandwidth";
    return test::digest_of(uuid, std::move(cases));
  };
  const Comparison result = compare(std::vector{run("a", 1000000)}, std::vector{run("b", 1100000)});
  EXPECT_NEAR(result.shift.change, 0.1, 1e-9);
  EXPECT_EQ(result.shift.rows, 3U);
}

// Welch's test of ln {1.05, 1.06, 1.07} against ln {1, 1.01, 1.02}, the density of t with 3.990696
// degrees of freedom integrated by Simpson's rule.
TEST(WholeRunShift, HasTheIntervalOfTheRuns) {
  std::vector<RunDigest> a, b;
  for (const std::uint64_t percent : {0U, 1U, 2U}) {
    a.push_back(exact_run("a" + std::to_string(percent), 10000000 + 100000 * percent,
                          20000000 + 200000 * percent));
    b.push_back(exact_run("b" + std::to_string(percent), 10500000 + 100000 * percent,
                          21000000 + 200000 * percent));
  }
  const Comparison result = compare(a, b);
  EXPECT_NEAR(std::log1p(result.shift.change), 0.0483215875, 1e-6);
  EXPECT_NEAR(std::log1p(result.shift.low), 0.0263784909, 1e-6);
  EXPECT_NEAR(std::log1p(result.shift.high), 0.0702646841, 1e-6);
  EXPECT_NEAR(result.shift.p, 0.00363845443, 1e-6);
}

TEST(WholeRunShift, IsTakenOutOfTheRowsOnRequest) {
  std::mt19937_64 random(1);
  std::vector<RunDigest> a, b;
  for (int r = 0; r < 5; ++r) {
    a.push_back(shifted_run("a" + std::to_string(r), 1, random));
    b.push_back(shifted_run("b" + std::to_string(r), 1.03, random, 1.1));
  }
  const Comparison plain = compare(a, b);
  EXPECT_EQ(plain.count(Verdict::regression), 40U);
  EXPECT_NEAR(plain.shift.change, 0.03, 0.003);
  CompareOptions options;
  options.relative_to_run = true;
  const Comparison relative = compare(a, b, options);
  EXPECT_TRUE(relative.shift.removed);
  EXPECT_DOUBLE_EQ(relative.shift.change, plain.shift.change);
  EXPECT_EQ(relative.count(Verdict::regression), 1U);
  EXPECT_EQ(relative.rows[0].key, "micro/allreduce bytes=1 ranks=2");
  EXPECT_NEAR(relative.rows[0].change, 0.1, 0.01);
  EXPECT_EQ(relative.count(Verdict::same), 39U);
}

TEST(WholeRunShift, StaysWhereRowsAreFew) {
  CompareOptions options;
  options.relative_to_run = true;
  const Comparison result = compare(std::vector{exact_run("a", 1000, 1000)},
                                    std::vector{exact_run("b", 2000, 2000)}, options);
  EXPECT_FALSE(result.shift.removed);
  EXPECT_NEAR(result.rows[0].change, 1, 1e-9);
  EXPECT_THAT(result.notes, SizeIs(1));
}

// Two rows, +21 % and 0 %: the mean ratio is sqrt(1.21) = 1.1.
TEST(GeometricMean, IsOverTheRowsOfOneMetric) {
  CaseResult bandwidth = measured("m/w", 1000, {1000000});
  bandwidth.primary_metric = "bandwidth";
  const auto run = [&](const std::string& uuid, std::uint64_t x) {
    return test::digest_of(uuid,
                           {measured("m/x", 1, {x}), measured("m/y", 1, {1000000}), bandwidth});
  };
  const Comparison result = compare(std::vector{run("a0", 1000000), run("a1", 1000000)},
                                    std::vector{run("b0", 1210000), run("b1", 1210000)});
  ASSERT_THAT(result.geomeans, SizeIs(1));  // no mean for a metric with a single row
  EXPECT_EQ(result.geomeans[0].metric, "latency");
  EXPECT_EQ(result.geomeans[0].rows, 2U);
  EXPECT_NEAR(result.geomeans[0].change, 0.1, 1e-9);
}

TEST(GeometricMean, LeavesOutRowsThatARunLacks) {
  const auto a = exact_run("a", 1000000, 1000000), a2 = exact_run("a2", 1000000, 1000000);
  RunDigest b = exact_run("b", 1100000, 1300000), b2 = exact_run("b2", 1100000, 1300000);
  const auto z = test::digest_of("z", {measured("m/z", 1, {1000000})}).rows;
  for (RunDigest* run : {&b, &b2}) run->rows.insert(z.begin(), z.end());
  b2.rows.erase("m/y bytes=1 ranks=2");
  const Comparison result = compare(std::vector{a, a2}, std::vector{b, b2});
  EXPECT_TRUE(result.geomeans.empty());  // one row left
}

/// Six runs in three blocks, whose nodes differ by far more than the change of 2 %.
std::vector<RunDigest> blocked_side(bool of_b, const std::string& job, std::mt19937_64& random) {
  std::vector<RunDigest> side;
  for (int block = 0; block < 4; ++block) {
    RunDigest run = shifted_run((of_b ? "b" : "a") + std::to_string(block),
                                (1 + 0.05 * block) * (of_b ? 1.03 : 1), random);
    // A B, B A, A B, B A
    const int place = 2 * block + ((block % 2 == 1) != of_b ? 1 : 0);
    run.started = "2026-01-31T12:0" + std::to_string(place) + ":00.000Z";
    run.job = job;
    run.nodes = "node1 node2";
    side.push_back(std::move(run));
  }
  std::swap(side[0], side[2]);
  return side;
}

TEST(Design, RunsThatTakeTurnsInAJobAreCompared) {
  std::mt19937_64 random(2);
  const auto a = blocked_side(false, "SLURM_JOB_ID=7", random),
             b = blocked_side(true, "SLURM_JOB_ID=7", random);
  const Comparison paired = compare(a, b);
  EXPECT_THAT(paired.method, HasSubstr("paired in 4 blocks"));
  EXPECT_EQ(paired.count(Verdict::regression), 40U);
  EXPECT_NEAR(paired.shift.change, 0.03, 0.002);
  EXPECT_LT(paired.shift.high - paired.shift.low, 0.01);
  CompareOptions options;
  options.pairing = Pairing::no;
  const Comparison apart = compare(a, b, options);
  EXPECT_THAT(apart.method, Not(HasSubstr("paired")));
  EXPECT_EQ(apart.count(Verdict::regression), 0U);
  EXPECT_NEAR(apart.rows[0].change, paired.rows[0].change, 0.05);
}

TEST(Design, IsPairedByItselfOnlyWhereTheRecordSaysSo) {
  std::mt19937_64 random(3);
  const auto b = blocked_side(true, "SLURM_JOB_ID=7", random);
  const auto blocks = [&](const std::vector<RunDigest>& a, Pairing pairing) {
    return design_of(a, b, pairing).blocks.size();
  };
  const auto a = blocked_side(false, "SLURM_JOB_ID=7", random);
  EXPECT_EQ(blocks(a, Pairing::automatic), 4U);
  auto other = blocked_side(false, "SLURM_JOB_ID=8", random);
  EXPECT_EQ(blocks(other, Pairing::automatic), 0U);
  EXPECT_EQ(blocks(other, Pairing::yes), 4U);
  other = a;
  other[1].nodes = "node3";
  EXPECT_EQ(blocks(other, Pairing::automatic), 0U);
  EXPECT_THROW(blocks(other, Pairing::yes), UsageError);
  other = a;
  for (RunDigest& run : other) run.started.replace(11, 2, "08");  // all of A, then all of B
  EXPECT_EQ(blocks(other, Pairing::automatic), 0U);
  try {
    blocks(other, Pairing::yes);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("ran one after the other"));
  }
}

TEST(Design, BlocksNameTheRunsOfEachSide) {
  std::mt19937_64 random(4);
  const auto a = blocked_side(false, "J", random), b = blocked_side(true, "J", random);
  for (const Block& block : design_of(a, b, Pairing::automatic).blocks)
    EXPECT_EQ(a[block.a].uuid.substr(1), b[block.b].uuid.substr(1));
}

}  // namespace
}  // namespace scalemark::compare
