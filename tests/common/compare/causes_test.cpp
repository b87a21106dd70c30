// SPDX-License-Identifier: Apache-2.0
// Which likely causes are listed, and in which order.
#include "common/compare/findings/causes.hpp"

#include <functional>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/common/compare/synthetic.hpp"

namespace scalemark::compare {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Runs with three rows of the given times in ns; tests add facts.
std::vector<RunDigest> runs(const std::string& name, const std::vector<std::uint64_t>& times) {
  std::vector<RunDigest> side;
  for (const std::uint64_t time : times) {
    side.push_back(
        test::digest_of(name + std::to_string(side.size()),
                        {test::measured("m/x", 1, {time}), test::measured("m/y", 1, {2 * time}),
                         test::measured("m/z", 1, {3 * time})}));
  }
  return side;
}

void set(std::vector<RunDigest>& side, const std::string& fact,
         const std::vector<std::string>& values) {
  for (std::size_t i = 0; i < side.size(); ++i) side[i].environment[fact] = values[i];
}

std::vector<std::string> facts(const Comparison& comparison) {
  std::vector<std::string> names;
  for (const LikelyCause& one : comparison.causes) names.push_back(one.fact);
  return names;
}

/// The same telemetry value in each row of a run.
void watch(std::vector<RunDigest>& side, const std::string& quantity,
           const std::vector<double>& values, const std::string& unit = "1") {
  for (std::size_t i = 0; i < side.size(); ++i) {
    for (auto& [key, row] : side[i].rows) row.telemetry[quantity] = {values[i], unit};
  }
}

class LikelyCauses : public testing::Test {
 protected:
  std::vector<RunDigest> a_ = runs("a", {1000000, 1001000, 999000}),
                         b_ = runs("b", {1200000, 1201000, 1199000});
};

TEST_F(LikelyCauses, AreNoneWhereNothingDiffers) { EXPECT_THAT(compare(a_, b_).causes, IsEmpty()); }

TEST_F(LikelyCauses, AreNamedOnlyWhereSomethingChanged) {
  set(a_, "cpu_governor", {"performance", "performance", "performance"});
  for (const std::vector<std::uint64_t>& times :
       {std::vector<std::uint64_t>{1000500, 999500, 1000000},
        std::vector<std::uint64_t>{900000, 1300000, 1000000}}) {
    b_ = runs("b", times);
    set(b_, "cpu_governor", {"powersave", "powersave", "powersave"});
    const Comparison result = compare(a_, b_);
    EXPECT_EQ(result.environment.size(), 1U);
    EXPECT_THAT(result.causes, IsEmpty());
  }
  // Single runs explain nothing, unless a row exceeds --single-run-threshold.
  const std::vector<RunDigest> one = {a_[0]}, other = {b_[1]};
  EXPECT_THAT(compare(one, other).causes, IsEmpty());
  CompareOptions options;
  options.single_run_threshold = 0.1;
  EXPECT_THAT(facts(compare(one, other, options)), ElementsAre("cpu_governor"));
}

// Each row alone is inconclusive; all together are slower by 4 %.
TEST_F(LikelyCauses, AreNamedForAShiftOfTheWholeRun) {
  Comparison comparison;
  comparison.environment = {{"kernel", "6.1", "6.2", FactClass::suspect}};
  set(a_, "kernel", {"6.1", "6.1", "6.1"});
  set(b_, "kernel", {"6.2", "6.2", "6.2"});
  comparison.shift = {.change = 0.04, .low = 0.03, .high = 0.05, .p = 0.001, .rows = 40};
  EXPECT_EQ(likely_causes(a_, b_, comparison).size(), 1U);
  comparison.shift.p = 0.2;
  EXPECT_THAT(likely_causes(a_, b_, comparison), IsEmpty());
  comparison.shift = {.change = 0.004, .low = 0.003, .high = 0.005, .p = 0.001, .rows = 40};
  EXPECT_THAT(likely_causes(a_, b_, comparison), IsEmpty());
}

TEST_F(LikelyCauses, AreNeverIdentifiersOrWhatOneSideAloneKnows) {
  set(a_, "env.SLURM_JOB_ID", {"101", "102", "103"});
  set(b_, "env.SLURM_JOB_ID", {"204", "205", "206"});
  set(a_, "env.OMPI_MCA_orte_local_daemon", {"1101", "1102", "1103"});
  set(b_, "env.OMPI_MCA_orte_local_daemon", {"9204", "9205", "9206"});
  set(b_, "glibc", {"2.36", "2.36", "2.36"});
  EXPECT_THAT(compare(a_, b_).causes, IsEmpty());
}

TEST_F(LikelyCauses, SeparatingFactsComeFirstThenIdentity) {
  set(a_, "kernel", {"6.1", "6.2", "6.1"});
  set(b_, "kernel", {"6.2", "6.2", "6.2"});
  set(a_, "cpu_governor", {"performance", "performance", "performance"});
  set(b_, "cpu_governor", {"powersave", "powersave", "powersave"});
  set(a_, "gpu_model", {"H200", "H200", "H200"});
  set(b_, "gpu_model", {"H100", "H100", "H100"});
  const Comparison result = compare(a_, b_);
  EXPECT_THAT(facts(result), ElementsAre("gpu_model", "cpu_governor", "kernel"));
  EXPECT_TRUE(result.causes[1].separates);
  EXPECT_FALSE(result.causes[2].separates);
  EXPECT_EQ(result.causes[1].a, "performance");
  EXPECT_EQ(result.causes[1].b, "powersave");
  EXPECT_THAT(result.causes[1].text, HasSubstr("cpu_governor (suspect): performance in A"));
}

// One run of B kept the old governor and the old time, so the fact explains the time within B, too.
TEST_F(LikelyCauses, AFactThatGoesWithTheValueWithinASideIsNamed) {
  a_ = runs("a", {1000000, 1001000, 999000, 1000500, 999500, 1000200});
  b_ = runs("b", {1200000, 1201000, 1000000, 1199000, 1200500, 1199500});
  const std::string quick = "performance", slow = "powersave";
  set(a_, "cpu_governor", {quick, quick, quick, quick, quick, quick});
  set(b_, "cpu_governor", {slow, slow, quick, slow, slow, slow});
  set(a_, "kernel", {"6.1", "6.1", "6.1", "6.1", "6.1", "6.1"});
  set(b_, "kernel", {"6.1", "6.2", "6.2", "6.1", "6.1", "6.2"});
  const Comparison result = compare(a_, b_);
  EXPECT_THAT(facts(result), ElementsAre("cpu_governor", "kernel"));
  EXPECT_THAT(result.causes[0].text,
              HasSubstr("within B alone, the same difference changes the cost by +20.0 %"));
  EXPECT_THAT(result.causes[1].text, Not(HasSubstr("within")));
}

TEST_F(LikelyCauses, NoiseIsNamedOnlyWhereItSeparatesRepeatedRuns) {
  set(a_, "load_average", {"0.1 0.2 0.1", "0.3 0.1 0.1", "0.2 0.1 0.1"});
  set(b_, "load_average", {"8.1 4 2", "7.3 4 2", "9.2 4 2"});
  const Comparison result = compare(a_, b_);
  EXPECT_THAT(facts(result), ElementsAre("load_average"));
  EXPECT_EQ(result.causes[0].text, "load_average (noise): 0.1 to 0.3 in A, 7.3 to 9.2 in B");
  b_[1].environment["load_average"] = "0.25 0.1 0.1";
  EXPECT_THAT(compare(a_, b_).causes, IsEmpty());
}

TEST_F(LikelyCauses, TelemetryOfWorseRowsComesFirst) {
  set(a_, "cpu_governor", {"performance", "performance", "performance"});
  set(b_, "cpu_governor", {"powersave", "powersave", "powersave"});
  for (auto* side : {&a_, &b_}) {
    for (RunDigest& run : *side) {
      for (auto& [key, row] : run.rows) {
        row.telemetry["gpu.clock"] = {side == &a_ ? 1.74e9 : 1.41e9, "Hz"};
        row.telemetry["gpu.temperature"] = {60, "Cel"};
      }
    }
  }
  const Comparison result = compare(a_, b_);
  ASSERT_THAT(facts(result), ElementsAre("gpu.clock", "cpu_governor"));
  EXPECT_EQ(result.causes[0].kind, "telemetry");
  EXPECT_EQ(result.causes[0].rows, 3U);
  EXPECT_THAT(result.causes[0].text, HasSubstr("in 3 of 3 rows that got worse"));
  EXPECT_THAT(result.causes[0].text, HasSubstr("1.740 G"));
  EXPECT_THAT(result.causes[0].text, HasSubstr("1.410 G"));
  // No row got worse: no causes.
  EXPECT_THAT(facts(compare(b_, a_)), ElementsAre("cpu_governor"));
  // The ranges of the runs overlap: no cause.
  for (auto& [key, row] : b_[0].rows) row.telemetry["gpu.clock"].value = 1.8e9;
  EXPECT_THAT(facts(compare(a_, b_)), ElementsAre("cpu_governor"));
}

// Noise between runs: one run of A was disturbed more than one of B.
TEST(Telemetry, IsNamedThoughOneRunIsUnlikeTheOthers) {
  std::vector<RunDigest> a = runs("a", {1000000, 1001000, 999000, 1000500, 999500}),
                         b = runs("b", {1200000, 1201000, 1199000, 1200500, 1199500});
  watch(a, "node.other_cpus", {0.02, 0.05, 0.86, 0.03, 0.02});
  watch(b, "node.other_cpus", {1.45, 1.38, 1.51, 0.81, 1.42});
  watch(a, "node.core_clock", {2.6e9, 2.6e9, 2.6e9, 2.6e9, 2.6e9}, "Hz");
  watch(b, "node.core_clock", {2.6e9, 2.6e9, 2.6e9, 2.6e9, 2.6e9}, "Hz");
  // For a fact that is only read at the end, this is not enough.
  set(a, "end.load_average", {"0.02", "0.05", "0.86", "0.03", "0.02"});
  set(b, "end.load_average", {"1.45", "1.38", "1.51", "0.81", "1.42"});
  const Comparison result = compare(a, b);
  ASSERT_THAT(facts(result), ElementsAre("node.other_cpus"));
  const LikelyCause& cause = result.causes[0];
  EXPECT_EQ(cause.a, "0.03000");
  EXPECT_EQ(cause.b, "1.420");
  EXPECT_FALSE(cause.separates);
  EXPECT_EQ(cause.rows, 3U);
}

// Three equal readings do not prove that the next is equal: a count has steps of one. Two runs per
// side are too few for any test.
TEST(Telemetry, OfEqualReadingsIsNotTakenForExact) {
  std::vector<RunDigest> a = runs("a", {1000000, 1001000, 999000}),
                         b = runs("b", {1200000, 1201000, 1199000});
  watch(a, "node.runnable", {2, 2, 2});
  watch(b, "node.runnable", {3, 3, 3});
  EXPECT_THAT(compare(a, b).causes, IsEmpty());
  watch(b, "node.runnable", {5, 5, 5});
  EXPECT_THAT(facts(compare(a, b)), ElementsAre("node.runnable"));
  a.pop_back();
  EXPECT_THAT(compare(a, b).causes, IsEmpty());
}

TEST(Telemetry, OfOneRowInThreeIsNotNamed) {
  std::vector<RunDigest> a = runs("a", {1000000, 1001000, 999000}),
                         b = runs("b", {1200000, 1201000, 1199000});
  watch(a, "gpu.power", {300, 300, 300}, "W");
  watch(b, "gpu.power", {300, 300, 300}, "W");
  for (RunDigest& run : b) run.rows.begin()->second.telemetry["gpu.power"].value = 150;
  EXPECT_THAT(compare(a, b).causes, IsEmpty());
  // Significant, but a difference below 2 % in most rows explains little.
  for (RunDigest& run : b) {
    for (auto& [key, row] : run.rows) row.telemetry["gpu.power"].value = 295.5;
    run.rows.begin()->second.telemetry["gpu.power"].value = 290;
  }
  EXPECT_THAT(compare(a, b).causes, IsEmpty());
  for (RunDigest& run : b) run.rows.rbegin()->second.telemetry["gpu.power"].value = 290;
  EXPECT_THAT(facts(compare(a, b)), ElementsAre("gpu.power"));
}

// The rows got worse for another reason; telemetry has the same distribution on both sides.
TEST(LikelyCause, IsNamedNoMoreOftenThanByChance) {
  std::mt19937_64 random(20260131);
  std::normal_distribution<double> normal;
  std::poisson_distribution<int> few(1.5);
  std::uniform_real_distribution<double> uniform;
  const std::vector<std::function<double()>> kinds = {
      [&] { return 10 + 3 * normal(random); }, [&] { return std::exp(normal(random)); },
      [&] { return static_cast<double>(2 + few(random)); },
      [&] { return 0.02 + 0.01 * normal(random) + (uniform(random) < 0.2 ? 0.7 : 0); },
      [&] { return std::pow(uniform(random), 4); }};
  for (const std::size_t count : {3U, 5U, 10U}) {
    const std::vector<std::uint64_t> quick(count, 1000000), slow(count, 1200000);
    std::vector<RunDigest> a = runs("a", quick), b = runs("b", slow);
    Comparison comparison = compare(a, b);
    for (CompareRow& row : comparison.rows) row.verdict = Verdict::regression;
    std::size_t named = 0, named_fact = 0;
    constexpr std::size_t kTables = 400;
    for (std::size_t table = 0; table < kTables; ++table) {
      for (std::vector<RunDigest>* side : {&a, &b}) {
        for (std::size_t k = 0; k < 2 * kinds.size(); ++k) {
          std::vector<double> values;
          for (std::size_t r = 0; r < count; ++r) values.push_back(kinds[k / 2]());
          watch(*side, "node.q" + std::to_string(k), values);
          for (std::size_t r = 0; r < count; ++r)
            (*side)[r].environment["end.q" + std::to_string(k)] = std::to_string(kinds[k / 2]());
        }
      }
      bool telemetry = false, fact = false;
      for (const LikelyCause& one : likely_causes(a, b, comparison))
        (one.kind == "telemetry" ? telemetry : fact) = true;
      named += telemetry ? 1 : 0;
      named_fact += fact ? 1 : 0;
    }
    EXPECT_LE(static_cast<double>(named) / kTables, 0.05) << count;
    EXPECT_LE(static_cast<double>(named_fact) / kTables, 0.05) << count;
  }
}

}  // namespace
}  // namespace scalemark::compare
