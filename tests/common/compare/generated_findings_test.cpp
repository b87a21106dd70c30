// SPDX-License-Identifier: Apache-2.0
// Findings on generated samples: none for equal code, and exactly the planted changes of tails and
// ranks. A tenth of the tables by default, all with SCALEMARK_ALL_TABLES set.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/compare/compare.hpp"
#include "tests/support/generated_samples.hpp"

namespace scalemark::compare {
namespace {

using test::Planted;
using test::SampledScenario;
using test::Shape;

bool all_tables() { return std::getenv("SCALEMARK_ALL_TABLES") != nullptr; }
std::size_t tables(std::size_t all) { return all_tables() ? all : all / 10; }

/// 5 % of the tables, plus a tolerance for chance if few tables are tested.
double at_most(std::size_t count) {
  return 0.05 + (all_tables() ? 0 : 2.6 * std::sqrt(0.05 * 0.95 / static_cast<double>(count)));
}

Comparison compared(const SampledScenario& scenario, std::uint64_t seed) {
  return compare(sampled_side(scenario, false, seed), sampled_side(scenario, true, seed));
}

bool is_changed(const CompareRow& row) {
  return row.verdict == Verdict::regression || row.verdict == Verdict::improved;
}

std::size_t row_number(const std::string& key) { return std::stoul(key.substr(key.find('=') + 1)); }

struct SameCode {
  const char* name;
  Shape shape;
  double correlation;
  Planted planted;  ///< on both sides
};

class SameSamples : public testing::TestWithParam<SameCode> {};

TEST_P(SameSamples, GiveNoFindings) {
  SampledScenario scenario;
  scenario.rows = 40;
  scenario.iterations = 1000;
  scenario.ranks = 4;
  scenario.shape = GetParam().shape;
  scenario.correlation = GetParam().correlation;
  scenario.planted = [](std::size_t, bool) { return GetParam().planted; };
  // `loud`: number of tables with at least one finding
  std::map<std::string, std::size_t> findings, loud;
  const std::size_t count = tables(40);
  for (std::size_t seed = 0; seed < count; ++seed) {
    const Comparison comparison = compared(scenario, seed);
    std::set<std::string> kinds;
    for (const Finding& one : comparison.findings) {
      ++findings[one.kind];
      kinds.insert(one.kind);
    }
    const auto changed = std::ranges::count_if(comparison.rows, is_changed);
    findings["verdict"] += static_cast<std::size_t>(changed);
    if (changed > 0) kinds.insert("verdict");
    for (const std::string& kind : kinds) ++loud[kind];
  }
  std::cout << GetParam().name << ", " << count << " tables";
  for (const char* kind : {"verdict", "tail", "modes", "straggler"}) {
    std::cout << ", " << kind << ' ' << findings[kind] << " in " << loud[kind];
    EXPECT_LE(static_cast<double>(loud[kind]) / static_cast<double>(count), at_most(count)) << kind;
  }
  std::cout << '\n';
}

INSTANTIATE_TEST_SUITE_P(
    GeneratedFindings, SameSamples,
    testing::Values(SameCode{"normal", Shape::normal, 0, {}},
                    SameCode{"heavy tail", Shape::heavy, 0, {}},
                    SameCode{"two modes", Shape::bimodal, 0, {}},
                    SameCode{"correlated", Shape::normal, 0.5, {}},
                    SameCode{"drift", Shape::normal, 0.5, {.drift = 0.1}},
                    // Around the 99th percentile of a bimodal case, the quantile jumps from run to
                    // run.
                    SameCode{"one in a hundred slow", Shape::normal, 0, {.slow_share = 0.01}}));

// Two per mille of the iterations take half as long again; in every tenth row of B 22 do.
// This leaves the median unchanged and is too small for a mode.
TEST(GeneratedFindings, ASlowerTailIsFoundInTheTailOnly) {
  SampledScenario scenario;
  scenario.iterations = 1000;
  scenario.planted = [](std::size_t row, bool of_b) {
    return Planted{.slow_share = of_b && row % 10 == 0 ? 0.022 : 0.002};
  };
  std::size_t right = 0, wrong = 0, changed = 0, planted = 0;
  for (std::size_t seed = 0; seed < tables(50); ++seed) {
    const Comparison comparison = compared(scenario, seed);
    changed +=
        static_cast<std::size_t>(std::ranges::count_if(comparison.rows, [](const CompareRow& row) {
          return is_changed(row) && row_number(row.key) % 10 == 0;
        }));
    planted += scenario.rows / 10;
    for (const Finding& one : comparison.findings) {
      const bool found = one.kind == "tail" && row_number(one.subject) % 10 == 0;
      if (!found) std::cout << one.text << '\n';
      ++(found ? right : wrong);
      if (found) {
        EXPECT_GT(one.numbers.at("change"), 0.2);
      }
    }
  }
  std::cout << "tails: " << right << " of " << planted << " found, " << wrong << " others, "
            << changed << " medians\n";
  EXPECT_GE(static_cast<double>(right), 0.95 * static_cast<double>(planted));
  EXPECT_LE(static_cast<double>(wrong), 0.06 * static_cast<double>(right));
  EXPECT_EQ(changed, 0U);
}

/// One rank of four is slow in two of three rows.
SampledScenario slow_rank(bool lateness, bool of_a, bool of_b) {
  SampledScenario scenario;
  scenario.rows = 30;
  scenario.ranks = 4;
  scenario.lateness = lateness;
  scenario.planted = [=](std::size_t row, bool b) {
    Planted planted;
    if (row % 3 != 0 && (b ? of_b : of_a)) planted.slow_rank = 2;
    planted.rank_level = 0.06;
    return planted;
  };
  return scenario;
}

TEST(GeneratedFindings, ASlowRankIsNamedOnItsSide) {
  for (const bool lateness : {false, true}) {
    for (std::size_t seed = 0; seed < tables(100); ++seed) {
      for (const char* side : {"A", "B", "both"}) {
        const std::string where = side;
        const Comparison comparison =
            compared(slow_rank(lateness, where != "B", where != "A"), seed);
        ASSERT_EQ(comparison.findings.size(), 1U) << side << lateness << seed;
        const Finding& one = comparison.findings[0];
        EXPECT_EQ(one.kind, "straggler");
        EXPECT_EQ(one.side, side);
        EXPECT_EQ(one.subject, "rank 2 on node1");
        EXPECT_NEAR(one.numbers.at("slower"), 0.06, 0.01);
        // A late rank does not change the time of the last rank.
        const std::size_t worse = comparison.count(Verdict::regression);
        EXPECT_EQ(worse, !lateness && where == "B" ? 20U : 0U);
      }
    }
  }
}

}  // namespace
}  // namespace scalemark::compare
