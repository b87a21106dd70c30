// SPDX-License-Identifier: Apache-2.0
// Changes that the medians do not show: modes and tails.
#include "common/compare/findings/modes.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/compare/compare.hpp"
#include "tests/common/compare/synthetic.hpp"
#include "tests/support/generated_runs.hpp"

namespace scalemark::compare {
namespace {

using test::Random;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

/// Logarithms of times: normal with 1 %, of which `share` is in a mode that is higher by `apart`.
std::vector<float> sketch_with(double share, double apart, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> sketch;
  for (int i = 0; i < 100; ++i) {
    const double slow = i < 100 * share ? apart : 0;
    sketch.push_back(static_cast<float>(-11 + 0.01 * random.normal() + slow));
  }
  std::ranges::sort(sketch);
  return sketch;
}

TEST(ModeSplit, LiesBetweenTheModes) {
  for (const double share : {0.05, 0.2, 0.5, 0.9}) {
    const auto split = mode_split(sketch_with(share, 0.2, 1));
    ASSERT_TRUE(split) << share;
    EXPECT_NEAR(split->distance, 0.2, 0.02) << share;
    EXPECT_NEAR(split->midpoint, -10.9, 0.02) << share;
  }
}

TEST(ModeSplit, IsNotSeenInOneMode) {
  std::vector<float> uniform, exponential;
  for (int i = 0; i < 100; ++i) {
    uniform.push_back(static_cast<float>(i * 0.01));
    exponential.push_back(static_cast<float>(-std::log(1 - (i + 0.5) / 100)));
  }
  EXPECT_FALSE(mode_split(uniform));
  EXPECT_FALSE(mode_split(exponential));
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    EXPECT_FALSE(mode_split(sketch_with(0, 0, seed))) << seed;
    EXPECT_FALSE(mode_split(sketch_with(0.02, 0.4, seed))) << seed;  // spikes
  }
  EXPECT_FALSE(mode_split(std::vector<float>{}));
  EXPECT_FALSE(mode_split(std::vector<float>(100, 1.0F)));
  // Two steps of a clock.
  std::vector<float> steps(50, 1.0F);
  steps.resize(100, 1.05F);
  EXPECT_TRUE(mode_split(steps));
  EXPECT_FALSE(mode_split(steps, 0.15));
}

/// A case of 2000 iterations with noise of 1 %, `share` of them slower by `factor`.
CaseResult mixed(double share, double factor, double level, Random& random) {
  std::vector<std::uint64_t> times;
  for (int i = 0; i < 2000; ++i) {
    const double slow = random.chance(share) ? factor : 1;
    times.push_back(
        static_cast<std::uint64_t>(1e6 * level * slow * std::exp(0.01 * random.normal())));
  }
  return test::measured("micro/x", 1, std::move(times));
}

std::vector<RunDigest> side(const std::string& name, double share, double factor, double level,
                            std::uint64_t seed) {
  Random random(seed);
  std::vector<RunDigest> runs;
  for (int r = 0; r < 5; ++r) {
    const double run = level * std::exp(0.002 * random.normal());
    runs.push_back(test::digest_of(name + std::to_string(r), {mixed(share, factor, run, random)}));
  }
  return runs;
}

std::vector<std::string> kinds(const Comparison& comparison) {
  std::vector<std::string> names;
  for (const Finding& one : comparison.findings) names.push_back(one.kind);
  return names;
}

// Ten and thirty per cent of the iterations in the slow mode move the median by 0.3 %.
TEST(Modes, AnotherMixWithEqualMediansIsInconclusive) {
  const Comparison result = compare(side("a", 0.1, 1.3, 1, 1), side("b", 0.3, 1.3, 0.998, 2));
  EXPECT_LT(std::abs(result.rows[0].change), 0.005);
  EXPECT_EQ(result.rows[0].verdict, Verdict::inconclusive);
  EXPECT_THAT(result.rows[0].flags, Contains("modes_changed"));
  EXPECT_THAT(kinds(result), Contains("modes"));
  const auto finding = std::ranges::find(result.findings, "modes", &Finding::kind);
  EXPECT_NEAR(finding->numbers.at("a"), 0.1, 0.02);
  EXPECT_NEAR(finding->numbers.at("b"), 0.3, 0.03);
  EXPECT_THAT(finding->text, HasSubstr("10 % of the iterations in the slow mode in A, 30 % in B"));
}

TEST(Modes, AnEqualMixIsNoFinding) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Comparison result =
        compare(side("a", 0.2, 1.3, 1, 100 + seed), side("b", 0.2, 1.3, 1, 200 + seed));
    EXPECT_THAT(kinds(result), Not(Contains("modes"))) << seed;
    EXPECT_EQ(result.rows[0].verdict, Verdict::same) << seed;
  }
}

TEST(Modes, ASlowerMedianIsNoMode) {
  const Comparison result = compare(side("a", 0, 1, 1, 5), side("b", 0, 1, 1.3, 6));
  EXPECT_EQ(result.rows[0].verdict, Verdict::regression);
  EXPECT_THAT(result.findings, IsEmpty());
}

TEST(Tails, AreFoundWhereTheMedianIsTheSame) {
  // Two per cent of the iterations take half as long again: beyond the 98th percentile only.
  const Comparison result = compare(side("a", 0.004, 1.5, 1, 7), side("b", 0.02, 1.5, 1, 8));
  EXPECT_EQ(result.rows[0].verdict, Verdict::same);
  EXPECT_EQ(result.count(Verdict::regression), 0U);
  ASSERT_THAT(result.findings, SizeIs(1));
  EXPECT_EQ(result.findings[0].kind, "tail");
  EXPECT_EQ(result.findings[0].subject, "micro/x bytes=1 ranks=2");
  EXPECT_GT(result.findings[0].numbers.at("change"), 0.4);
  EXPECT_THAT(result.findings[0].text, HasSubstr("is worse"));
  EXPECT_THAT(result.findings[0].text, HasSubstr("the median is SAME"));
}

TEST(Tails, OfFewIterationsAreNotAvailable) {
  auto a = side("a", 0.004, 1.5, 1, 7), b = side("b", 0.02, 1.5, 1, 8);
  b[2].rows.begin()->second.tail = NAN;  // one run had fewer than 1000 iterations
  EXPECT_THAT(compare(a, b).findings, IsEmpty());
}

TEST(Tails, AreNotRepeatedBesideTheirMedian) {
  const Comparison result = compare(side("a", 0, 1, 1, 9), side("b", 0, 1, 1.2, 10));
  EXPECT_EQ(result.rows[0].verdict, Verdict::regression);
  EXPECT_THAT(result.findings, IsEmpty());
}

// The shift of the whole run is subtracted from the tails, too.
TEST(Tails, OfSlowRunsAreJudgedWithoutWhatMovedTheRun) {
  std::mt19937_64 random(3);
  auto a = test::noisy_side("a", 5, 8, 0.001, random),
       b = test::noisy_side("b", 5, 8, 0.001, random, 1.1, 8);
  for (auto* one : {&a, &b}) {
    for (RunDigest& run : *one) {
      for (auto& [key, row] : run.rows) row.tail = 2 * row.value;
    }
  }
  CompareOptions options;
  options.relative_to_run = true;
  const Comparison result = compare(a, b, options);
  EXPECT_NEAR(result.shift.change, 0.1, 0.005);
  EXPECT_EQ(result.count(Verdict::same), 8U);
  EXPECT_THAT(result.findings, IsEmpty());
}

TEST(Tails, StaySilentOnEqualSides) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_THAT(
        compare(side("a", 0.02, 1.5, 1, 300 + seed), side("b", 0.02, 1.5, 1, 400 + seed)).findings,
        IsEmpty())
        << seed;
  }
}

}  // namespace
}  // namespace scalemark::compare
