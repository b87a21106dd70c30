// SPDX-License-Identifier: Apache-2.0
// Verdicts on generated tables of 200 rows: false alarms, power and false discoveries. A tenth of
// the tables by default, all with SCALEMARK_ALL_TABLES set.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/compare/compare.hpp"
#include "common/compare/gate.hpp"
#include "tests/support/generated_runs.hpp"

namespace scalemark::compare {
namespace {

using test::GeneratedTable;
using test::Scenario;

bool all_tables() { return std::getenv("SCALEMARK_ALL_TABLES") != nullptr; }
std::size_t tables(std::size_t all) { return all_tables() ? all : all / 10; }

/// Tolerance for a fraction of `count` independent trials with expectation `p`: 0 if all tables are
/// tested, else 2.6 standard deviations (exceeded in 1 of 200).
double band(double p, double count) {
  return all_tables() ? 0 : 2.6 * std::sqrt(p * (1 - p) / count);
}

/// Rows whose 95 % interval excludes "no change": one test per row at 5 %.
std::size_t raw_rejections(const Comparison& comparison) {
  return static_cast<std::size_t>(std::ranges::count_if(
      comparison.rows, [](const CompareRow& row) { return row.low > 0 || row.high < 0; }));
}

Comparison compared(const GeneratedTable& table) {
  return compare(digests(table, true), digests(table, false));
}

/// Results of comparing equal code.
struct SameCode {
  double raw_rate = 0;       ///< fraction of rows
  double failed_tables = 0;  ///< fraction of tables that fail the exit code
  std::size_t tables = 0;
};

SameCode same_code(const Scenario& scenario, std::size_t count) {
  std::size_t rejected = 0, failed = 0;
  for (std::size_t seed = 0; seed < count; ++seed) {
    const Comparison comparison = compared(test::generate(scenario, seed));
    rejected += raw_rejections(comparison);
    if (gate(comparison, {}) != ExitCode::ok) ++failed;
  }
  const auto all = static_cast<double>(count);
  const SameCode result{static_cast<double>(rejected) / (all * static_cast<double>(scenario.rows)),
                        static_cast<double>(failed) / all, count};
  std::cout << scenario.runs_a << " runs: raw rejections " << 100 * result.raw_rate
            << " %, failed tables " << failed << " of " << count << "\n";
  return result;
}

void expect_few_failures(const SameCode& result) {
  EXPECT_LE(result.failed_tables, 0.05 + band(0.05, static_cast<double>(result.tables)));
}

class SameCodeNormal : public testing::TestWithParam<Scenario> {};

TEST_P(SameCodeNormal, IsCalledDifferentInFivePercentOfRowsAndPassesTheGate) {
  for (const int runs : {3, 5, 10}) {
    Scenario scenario = GetParam();
    scenario.runs_a = scenario.runs_b = runs;
    const SameCode result = same_code(scenario, tables(200));
    EXPECT_NEAR(result.raw_rate, 0.05, 0.015);
    expect_few_failures(result);
  }
}

INSTANTIATE_TEST_SUITE_P(GeneratedRuns, SameCodeNormal,
                         testing::Values(Scenario{.correlation = 0, .run_sd = 0},
                                         Scenario{.correlation = 0.8, .run_sd = 0},
                                         Scenario{.run_sd = 0.01},
                                         Scenario{.run_sd = 0.01, .rows_differ = true}));

class SameCodeOther : public testing::TestWithParam<Scenario> {};

/// Three slow runs on one side look like a change, which no test of three runs can detect. So the
/// exit code is checked from five runs on.
TEST_P(SameCodeOther, IsNotCalledDifferentMoreOften) {
  for (const int runs : {3, 5, 10}) {
    Scenario scenario = GetParam();
    scenario.runs_a = scenario.runs_b = runs;
    const SameCode result = same_code(scenario, tables(200));
    EXPECT_LE(result.raw_rate, 0.065);
    if (runs > 3 || scenario.slow_runs == 0) expect_few_failures(result);
  }
}

INSTANTIATE_TEST_SUITE_P(GeneratedRuns, SameCodeOther,
                         testing::Values(Scenario{.run_sd = 0.01, .slow_mode = 0.3},
                                         Scenario{.run_sd = 0.005, .slow_runs = 0.1}));

// A run on a slow node shifts all rows at once; the cap on the prior avoids most false alarms.
TEST(GeneratedRuns, WholeRunsOnABadNodePassTheGate) {
  for (const int runs : {3, 5}) {
    const Scenario scenario{.runs_a = runs,
                            .runs_b = runs,
                            .run_sd = 0.01,
                            .rows_differ = true,
                            .slow_whole_runs = 0.05};
    expect_few_failures(same_code(scenario, tables(300)));
  }
}

/// Verdicts on tables with planted changes: regressions found, and fraction of false verdicts.
struct Found {
  double power = 0, false_discoveries = 0;
  std::size_t changed = 0;
};

Found find(const Scenario& scenario, std::size_t count) {
  Found result;
  std::size_t found = 0;
  for (std::size_t seed = 0; seed < count; ++seed) {
    const GeneratedTable table = test::generate(scenario, seed + 1000);
    std::size_t right = 0, wrong = 0;
    for (const CompareRow& row : compared(table).rows) {
      if (row.verdict != Verdict::regression && row.verdict != Verdict::improved) continue;
      const double planted = table.planted[std::stoul(row.key)];
      const double sign = row.verdict == Verdict::regression ? 1 : -1;
      ++(planted * sign > 0 ? right : wrong);
    }
    found += right;
    if (wrong > 0)
      result.false_discoveries += static_cast<double>(wrong) / static_cast<double>(right + wrong);
    for (const double planted : table.planted) result.changed += planted != 0 ? 1U : 0U;
  }
  result.power = static_cast<double>(found) / static_cast<double>(result.changed);
  result.false_discoveries /= static_cast<double>(count);
  std::cout << scenario.runs_a << " against " << scenario.runs_b << " runs, change "
            << 100 * scenario.change << " %: power " << 100 * result.power
            << " %, false discoveries " << 100 * result.false_discoveries << " %\n";
  return result;
}

void expect_power(Scenario scenario, double power) {
  const Found found = find(scenario, tables(300));
  EXPECT_GE(found.power, power - band(power, static_cast<double>(found.changed)));
  EXPECT_LE(found.false_discoveries, 0.06);
}

constexpr Scenario kChanged{.run_sd = 0.01, .rows_differ = true, .changed = 0.1, .change = 0.05};

Scenario with_runs(Scenario scenario, int a, int b) {
  scenario.runs_a = a;
  scenario.runs_b = b;
  return scenario;
}

TEST(GeneratedRuns, FivePercentSlowerIsFoundByThreeRuns) {
  expect_power(with_runs(kChanged, 3, 3), 0.70);
}
TEST(GeneratedRuns, FivePercentSlowerIsFoundByFiveRuns) {
  expect_power(with_runs(kChanged, 5, 5), 0.85);
}
TEST(GeneratedRuns, FivePercentSlowerIsFoundByTenRuns) {
  expect_power(with_runs(kChanged, 10, 10), 0.95);
}

TEST(GeneratedRuns, TenPercentSlowerIsFoundByThreeRuns) {
  Scenario scenario = with_runs(kChanged, 3, 3);
  scenario.change = 0.10;
  expect_power(scenario, 0.97);
}

TEST(GeneratedRuns, TenPercentSlowerIsFoundByOneRunAgainstFive) {
  Scenario scenario = with_runs(kChanged, 5, 1);
  scenario.change = 0.10;
  scenario.run_sd = 0.008;
  expect_power(scenario, 0.95);
}

// One family of two-sided tests: changes of one sign do not reduce the power for the other.
TEST(GeneratedRuns, ChangesOfBothSignsAreFoundAsWell) {
  Scenario scenario = with_runs(kChanged, 5, 5);
  scenario.both_ways = true;
  expect_power(scenario, 0.85);
}

}  // namespace
}  // namespace scalemark::compare
