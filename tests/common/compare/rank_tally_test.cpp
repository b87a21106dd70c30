// SPDX-License-Identifier: Apache-2.0
// Slow ranks are reported, and no others.
#include "common/compare/rank_tally.hpp"

#include <cmath>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/compare/baseline.hpp"
#include "common/compare/findings/stragglers.hpp"
#include "common/compare/print/comparison.hpp"
#include "tests/common/compare/synthetic.hpp"
#include "tests/support/generated_runs.hpp"

namespace scalemark::compare {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::size_t kRanks = 8, kIterations = 40;

/// Times with noise of 0.5 %, drift common to all, and one rank that is slower by a factor.
Metric by_rank(const std::string& name, test::Random& random, std::size_t slow, double factor) {
  std::vector<std::uint64_t> times;
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    for (std::size_t i = 0; i < kIterations; ++i) {
      const double drift = 1 + 0.01 * static_cast<double>(i);
      times.push_back(static_cast<std::uint64_t>(1e6 * drift * (rank == slow ? factor : 1) *
                                                 std::exp(0.005 * random.normal())));
    }
  }
  Metric metric = test::duration(name, std::move(times));
  metric.samples.ranks = kRanks;
  metric.samples.iterations = kIterations;
  return metric;
}

CaseResult case_of(Metric metric, std::int64_t bytes, bool rank_local) {
  CaseResult result = test::measured("micro/gemm", bytes, {});
  result.primary_metric = metric.name;
  result.metrics = {std::move(metric)};
  if (rank_local) result.facts["rank_local"] = true;
  return result;
}

RunDigest run_with(const std::string& uuid, std::uint64_t seed, std::size_t slow, double factor,
                   bool rank_local = true) {
  test::Random random(seed);
  std::vector<CaseResult> cases;
  for (std::int64_t c = 0; c < 12; ++c)
    cases.push_back(case_of(by_rank("time", random, slow, factor), c, rank_local));
  scalemark::Run run = test::run_of(uuid, std::move(cases));
  run.ranks.clear();
  for (int rank = 0; rank < static_cast<int>(kRanks); ++rank) {
    run.ranks.push_back(RankInfo{rank, rank < 4 ? "node1" : "node2", rank % 4, "", 0,
                                 "GPU-" + std::to_string(rank), "", ""});
  }
  for (std::size_t i = 0; i < run.cases.size(); ++i) run.cases[i].index = i;
  return digest(run, uuid);
}

TEST(RankSlowness, IsTheMedianRatioToTheMiddleRank) {
  test::Random random(1);
  const std::vector<double> slowness =
      rank_slowness(case_of(by_rank("time", random, 5, 1.2), 1, true));
  ASSERT_THAT(slowness, SizeIs(kRanks));
  for (std::size_t rank = 0; rank < kRanks; ++rank)
    EXPECT_NEAR(slowness[rank], rank == 5 ? std::log(1.2) : 0, 0.006) << rank;
}

TEST(RankSlowness, DoesNotTakeTheDurationOfACollective) {
  test::Random random(2);
  EXPECT_THAT(rank_slowness(case_of(by_rank("latency", random, 5, 1.2), 1, false)), IsEmpty());
}

// The late rank never waits, so its allreduce is the shortest.
TEST(RankSlowness, GoesByLatenessWhereItIsStored) {
  test::Random random(3);
  CaseResult one = case_of(by_rank("latency", random, 5, 0.7), 1, false);
  Metric late = by_rank("lateness", random, 5, 31);
  for (std::uint64_t& time : std::get<std::vector<std::uint64_t>>(late.samples.values)) time /= 100;
  one.metrics.push_back(late);
  const std::vector<double> slowness = rank_slowness(one);
  ASSERT_THAT(slowness, SizeIs(kRanks));
  // 30 times 10 us of a latency of 1 ms, as the iterations grow longer.
  EXPECT_NEAR(slowness[5], std::log(1.3), 0.02);
  EXPECT_NEAR(slowness[0], 0, 0.002);
}

TEST(Stragglers, AreNamedWithTheirHardware) {
  const std::vector<RunDigest> a = {run_with("a0", 10, 99, 1), run_with("a1", 11, 99, 1)},
                               b = {run_with("b0", 12, 6, 1.12), run_with("b1", 13, 6, 1.12)};
  const std::vector<Finding> findings = find_stragglers(a, b, 0.05);
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].subject, "rank 6 on node2 (GPU-6)");
  EXPECT_EQ(findings[0].side, "B");
  EXPECT_EQ(findings[0].numbers.at("slow_cases"), 24);
  EXPECT_EQ(findings[0].numbers.at("cases"), 24);
  EXPECT_NEAR(findings[0].numbers.at("slower"), 0.12, 0.005);
  // 24 of 24 with a chance of 1/8 each; eight places.
  EXPECT_NEAR(std::log2(findings[0].numbers.at("p")), -72, 1e-6);
  EXPECT_NEAR(std::log2(findings[0].numbers.at("q")), -69, 1e-6);
  EXPECT_THAT(findings[0].text,
              HasSubstr("% slower than the other ranks, in 24 of 24 cases, not in A"));
  EXPECT_EQ(find_stragglers(b, a, 0.05).at(0).side, "A");
  EXPECT_EQ(find_stragglers(b, b, 0.05).at(0).side, "both");
  EXPECT_THAT(find_stragglers(b, b, 0.05).at(0).text, HasSubstr("in 24 of 24 cases, in A as well"));
  EXPECT_THAT(find_stragglers(b, a, 0.05).at(0).text, HasSubstr("in 24 of 24 cases, not in B"));
}

// "not in A" must not be said of a rank that A did not test.
TEST(Stragglers, AreNotKnownWhereNothingWasWatched) {
  const std::vector<RunDigest> b = {run_with("b0", 12, 6, 1.12)};
  std::vector<RunDigest> a = {run_with("a0", 10, 99, 1)};
  a[0].ranks.clear();
  EXPECT_THAT(find_stragglers(a, b, 0.05).at(0).text, HasSubstr("in 12 of 12 cases, absent from A"))
      << "ranks of another node";
  a[0].stands_for = {"x", "y"};
  EXPECT_THAT(find_stragglers(a, b, 0.05).at(0).text,
              HasSubstr(", unknown for A: a baseline stores no ranks"));
  EXPECT_EQ(find_stragglers(a, b, 0.05).at(0).side, "B");
}

TEST(Stragglers, AreSaidToBeUnknownFromABaselineInEveryFormat) {
  const std::vector<RunDigest> known = {digest(
      make_baseline(std::vector{run_with("a0", 10, 99, 1), run_with("a1", 11, 99, 1)}), "base.h5")};
  const Comparison comparison = compare(known, std::vector{run_with("b0", 12, 6, 1.12)});
  for (const char* format : {"text", "md", "json"}) {
    std::ostringstream out;
    print_comparison(comparison, format, out);
    EXPECT_THAT(out.str(),
                HasSubstr("in 12 of 12 cases, unknown for A: a baseline stores no ranks"))
        << format;
    EXPECT_THAT(out.str(), HasSubstr("tails, modes, slow ranks and telemetry are not compared"))
        << format;
  }
}

// Binomial with 12 cases and a chance of 1/8: P(5 or more) = 0.0112, P(6 or more) = 0.0017. With
// eight ranks tested, the former is not significant.
TEST(Stragglers, AreAdjustedForTheNumberOfRanks) {
  const auto side = [](std::size_t slow) {
    RunDigest run;
    for (std::size_t rank = 0; rank < kRanks; ++rank) {
      const std::size_t count = rank == 3 ? slow : 1;
      run.ranks.push_back(
          {"rank " + std::to_string(rank), 12, count, 1.5, std::vector<float>(count, 0.2F)});
    }
    return std::vector{run};
  };
  EXPECT_THAT(find_stragglers(side(1), side(5), 0.05), IsEmpty());
  const std::vector<Finding> found = find_stragglers(side(1), side(6), 0.05);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].subject, "rank 3");
  EXPECT_NEAR(found[0].numbers.at("p"), 0.0017, 0.0001);
}

TEST(Stragglers, AreNotFoundAmongEqualRanks) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const std::vector<RunDigest> a = {run_with("a", 100 + seed, 99, 1)},
                                 b = {run_with("b", 200 + seed, 99, 1)};
    EXPECT_THAT(find_stragglers(a, b, 0.05), IsEmpty()) << seed;
  }
}

TEST(Tally, TakesTheSlowerOfTwoRanksIfItIsSoByFar) {
  for (const double factor : {1.08, 1.5}) {
    Metric metric = test::duration("time", {1000, 1000, 1000, 0, 0, 0});
    metric.samples.ranks = 2;
    metric.samples.iterations = 3;
    auto& times = std::get<std::vector<std::uint64_t>>(metric.samples.values);
    for (std::size_t i = 3; i < 6; ++i) times[i] = static_cast<std::uint64_t>(1000 * factor);
    std::vector<RankTally> tallies(2);
    tally(case_of(metric, 1, true), tallies);
    EXPECT_EQ(tallies[0].slow, 0U);
    EXPECT_EQ(tallies[1].slow, factor > 1.1 ? 1U : 0U);
    EXPECT_EQ(tallies[1].expected, factor > 1.1 ? 0.5 : 0);
    EXPECT_EQ(tallies[1].cases, factor > 1.1 ? 1U : 0U);
    if (factor > 1.1) {
      EXPECT_NEAR(tallies[1].slower.at(0), factor - 1, 1e-6);
    }
  }
}

TEST(Stragglers, NeedMoreThanOneSlowCase) {
  RunDigest run = run_with("a", 1, 99, 1);
  run.ranks[3].slow = 1;
  run.ranks[3].slower = {0.5F};
  EXPECT_THAT(find_stragglers(std::vector{run}, std::vector{run}, 0.05), IsEmpty());
}

}  // namespace
}  // namespace scalemark::compare
