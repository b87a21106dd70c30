// SPDX-License-Identifier: Apache-2.0
// Flags on generated samples: none for stationary iterations, and the right one where a warm-up,
// drift or shift was planted. A tenth of the tables by default, all with SCALEMARK_ALL_TABLES set.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
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

std::size_t tables() { return std::getenv("SCALEMARK_ALL_TABLES") != nullptr ? 20 : 1; }

bool has(const CompareRow& row, const std::string& name) {
  return std::ranges::any_of(row.flags,
                             [&](const std::string& flag) { return flag.starts_with(name); });
}

/// The share of rows for which `test` holds.
double rate(const SampledScenario& scenario, const std::function<bool(const CompareRow&)>& test) {
  std::size_t rows = 0, found = 0;
  for (std::size_t seed = 0; seed < tables(); ++seed) {
    const Comparison comparison =
        compare(sampled_side(scenario, false, seed), sampled_side(scenario, true, seed));
    rows += comparison.rows.size();
    found += static_cast<std::size_t>(std::ranges::count_if(comparison.rows, test));
  }
  return static_cast<double>(found) / static_cast<double>(rows);
}

/// The share of rows with any flag but `single_run`.
double flag_rate(const SampledScenario& scenario, const char* what) {
  std::map<std::string, int> flags;
  const double flagged = rate(scenario, [&](const CompareRow& row) {
    std::size_t own = 0;
    for (const std::string& flag : row.flags) {
      if (flag == "single_run") continue;
      ++flags[flag.substr(0, flag.find(':'))];
      ++own;
    }
    return own > 0;
  });
  std::cout << what << ", " << scenario.runs_a << " v " << scenario.runs_b << " runs, "
            << scenario.iterations << " iterations: rows flagged " << 100 * flagged << " %";
  for (const auto& [flag, count] : flags) std::cout << ", " << flag << ' ' << count;
  std::cout << '\n';
  return flagged;
}

struct Kind {
  const char* name;
  Shape shape;
  double correlation;
};

/// 5 % of the rows, plus a tolerance for chance if few tables are tested.
double at_most(std::size_t rows) {
  const bool all = std::getenv("SCALEMARK_ALL_TABLES") != nullptr;
  return 0.05 + (all ? 0 : 2.6 * std::sqrt(0.05 * 0.95 / static_cast<double>(rows * tables())));
}

class SteadyIterations : public testing::TestWithParam<Kind> {};

TEST_P(SteadyIterations, AreRarelyFlagged) {
  for (const std::size_t iterations : {30U, 200U, 1000U}) {
    SampledScenario scenario;
    scenario.rows = 100;
    scenario.iterations = iterations;
    scenario.shape = GetParam().shape;
    scenario.correlation = GetParam().correlation;
    EXPECT_LE(flag_rate(scenario, GetParam().name), at_most(scenario.rows)) << iterations;
    scenario.runs_b = 1;
    EXPECT_LE(flag_rate(scenario, GetParam().name), at_most(scenario.rows)) << iterations;
  }
}

INSTANTIATE_TEST_SUITE_P(GeneratedFlags, SteadyIterations,
                         testing::Values(Kind{"normal", Shape::normal, 0},
                                         Kind{"heavy tail", Shape::heavy, 0},
                                         Kind{"two modes", Shape::bimodal, 0},
                                         Kind{"correlated", Shape::normal, 0.5}));

TEST(GeneratedFlags, ThatChanceGivesNeedHalfOfTheRunsOfASide) {
  SampledScenario scenario;
  scenario.rows = 1;
  std::vector<RunDigest> a = sampled_side(scenario, false, 1), b = sampled_side(scenario, true, 1);
  const auto flag = [](RunDigest& run, const char* name) {
    run.rows.begin()->second.flags = {name};
  };
  flag(b[0], "warmup_short");
  flag(b[1], "not_steady");
  flag(a[0], "few_effective_samples");
  EXPECT_EQ(compare(a, b).rows[0].flags, std::vector<std::string>());
  flag(b[2], "not_steady");
  flag(a[0], "throttled");
  EXPECT_EQ(compare(a, b).rows[0].flags,
            (std::vector<std::string>{"not_steady:2", "throttled:1", "warmup_short:1"}));
}

SampledScenario unsteady(std::size_t iterations, const Planted& planted, bool of_both) {
  SampledScenario scenario;
  scenario.rows = 50;
  scenario.iterations = iterations;
  scenario.correlation = 0.5;
  scenario.planted = [=](std::size_t, bool of_b) { return of_b || of_both ? planted : Planted(); };
  return scenario;
}

// Three of ten iterations take 5 % more, which moves the median by about 1 %.
TEST(GeneratedFlags, NameAShortWarmUp) {
  for (const std::size_t iterations : {200U, 1000U}) {
    for (const bool both : {true, false}) {
      const Planted planted{.warmup = iterations * 3 / 10, .warmup_level = 0.05};
      const auto flagged = [](const CompareRow& row) { return has(row, "warmup_short"); };
      EXPECT_GE(rate(unsteady(iterations, planted, both), flagged), 0.95)
          << iterations << (both ? " both" : " B");
    }
  }
}

TEST(GeneratedFlags, NameADrift) {
  for (const std::size_t iterations : {30U, 200U, 1000U}) {
    const Planted planted{.drift = 0.2};
    const auto flagged = [](const CompareRow& row) {
      return has(row, "not_steady") || has(row, "warmup_short") || has(row, "shift_in_run");
    };
    EXPECT_GE(rate(unsteady(iterations, planted, true), flagged), 0.95) << iterations;
  }
}

}  // namespace
}  // namespace scalemark::compare
