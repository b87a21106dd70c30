// SPDX-License-Identifier: Apache-2.0
// Whether `runs needed` is right: tables with planted changes are compared, inconclusive rows get
// that many runs, and are compared again. A few designs by default, all with SCALEMARK_ALL_TABLES
// set.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/compare/compare.hpp"
#include "tests/support/generated_runs.hpp"

namespace scalemark::compare {
namespace {

using test::GeneratedTable;

struct Case {
  std::size_t rows = 10, changed = 10;
  std::size_t runs = 3;
  double noise = 0.01, change = 0.05;
};

/// ln of the measured values of one side, [row][run].
using Side = std::vector<std::vector<double>>;

void add_runs(const Case& design, bool changed_side, std::size_t runs, test::Random& random,
              Side& side) {
  side.resize(design.rows);
  for (std::size_t g = 0; g < design.rows; ++g) {
    const double level = changed_side && g < design.changed ? std::log1p(design.change) : 0;
    while (side[g].size() < runs)
      side[g].push_back(std::log(1e6) + level + design.noise * random.normal());
  }
}

Comparison compared(const Side& a, const Side& b, const CompareOptions& options) {
  GeneratedTable table;
  table.runs_a = a.front().size();
  for (std::size_t g = 0; g < a.size(); ++g) {
    std::vector<double> row;
    for (const Side* side : {&a, &b}) {
      for (const double x : (*side)[g]) row.push_back(std::exp(x));
    }
    table.medians.push_back(std::move(row));
  }
  CompareOptions unpaired = options;
  unpaired.pairing = Pairing::no;
  return compare(digests(table, true), digests(table, false), unpaired);
}

/// Inconclusive rows with a number below 1000, and how many of them these runs decide.
struct Tally {
  double open = 0, decided = 0, hopeless = 0;
  double rate() const { return decided / open; }
  void add(const Tally& other) {
    open += other.open;
    decided += other.decided;
    hopeless += other.hopeless;
  }
};

struct Outcome {
  Tally planted, untouched;
  Tally all() const {
    Tally both = planted;
    both.add(untouched);
    return both;
  }
};

/// Adds the needed runs to the existing ones.
void follow(const Case& design, const Side& a, const Side& b, test::Random& random,
            Outcome& outcome) {
  std::map<int, std::vector<std::size_t>> asking;
  for (const CompareRow& row : compared(a, b, {}).rows) {
    if (row.verdict != Verdict::inconclusive) continue;
    ASSERT_TRUE(row.runs_needed.has_value());
    ASSERT_GT(*row.runs_needed, static_cast<int>(design.runs));
    const std::size_t g = std::stoul(row.key);
    if (*row.runs_needed >= 1000) {
      (g < design.changed ? outcome.planted : outcome.untouched).hopeless += 1;
    } else {
      asking[*row.runs_needed].push_back(g);
    }
  }
  CompareOptions options;
  options.plan_open_rows = false;
  for (const auto& [runs, rows] : asking) {
    Side more_a = a, more_b = b;
    add_runs(design, false, static_cast<std::size_t>(runs), random, more_a);
    add_runs(design, true, static_cast<std::size_t>(runs), random, more_b);
    for (const CompareRow& row : compared(more_a, more_b, options).rows) {
      const std::size_t g = std::stoul(row.key);
      if (std::ranges::find(rows, g) == rows.end()) continue;
      Tally& tally = g < design.changed ? outcome.planted : outcome.untouched;
      tally.open += 1;
      tally.decided += row.verdict == Verdict::inconclusive ? 0 : 1;
    }
  }
}

Outcome outcome_of(const Case& design, std::size_t tables) {
  Outcome outcome;
  for (std::size_t seed = 0; seed < tables; ++seed) {
    test::Random random(seed + 1);
    Side a, b;
    add_runs(design, false, design.runs, random, a);
    add_runs(design, true, design.runs, random, b);
    follow(design, a, b, random, outcome);
  }
  std::cout << design.rows << " rows, " << design.changed << " changed by " << 100 * design.change
            << " %, noise " << 100 * design.noise << " %, " << design.runs << " runs: decided "
            << outcome.all().decided << " of " << outcome.all().open << " ("
            << 100 * outcome.all().rate() << " %), planted " << outcome.planted.decided << " of "
            << outcome.planted.open << ", >=1000: " << outcome.all().hopeless << "\n";
  return outcome;
}

void expect_promise(const Tally& tally, const char* which) {
  std::cout << which << ": " << tally.decided << " of " << tally.open << ", " << 100 * tally.rate()
            << " %\n";
  EXPECT_GE(tally.rate(), 0.70) << which;
  EXPECT_LE(tally.rate(), 0.90) << which;
}

bool all_tables() { return std::getenv("SCALEMARK_ALL_TABLES") != nullptr; }

/// A few designs of each kind, or all designs and tables.
std::vector<Case> designs() {
  if (!all_tables()) {
    return {{10, 10, 2, 0.02, 0.03}, {10, 10, 3, 0.02, 0.03},  {10, 10, 5, 0.02, 0.03},
            {10, 10, 3, 0.05, 0.10}, {10, 3, 3, 0.005, 0.015}, {10, 1, 3, 0.005, 0.05},
            {10, 1, 2, 0.005, 0.20}, {40, 4, 3, 0.01, 0.03},   {100, 100, 3, 0.02, 0.03}};
  }
  std::vector<Case> all;
  for (const std::size_t rows : {std::size_t{10}, std::size_t{100}}) {
    for (const std::size_t changed : {rows, 3 * rows / 10, rows / 10}) {
      for (const std::size_t runs : {std::size_t{2}, std::size_t{3}, std::size_t{5}}) {
        for (const double noise : {0.005, 0.01, 0.02, 0.05}) {
          for (const double change : {0.015, 0.03, 0.05, 0.10, 0.20})
            all.push_back({rows, changed, runs, noise, change});
        }
      }
    }
  }
  return all;
}

TEST(RunsNeeded, DecideEightOfTenOfWhatWasInconclusive) {
  const std::size_t rows = all_tables() ? 200 : 150;
  Outcome sum;
  for (const Case& design : designs()) {
    const Outcome one = outcome_of(design, std::max<std::size_t>(1, rows / design.rows));
    sum.planted.add(one.planted);
    sum.untouched.add(one.untouched);
  }
  expect_promise(sum.planted, "planted changes");
  expect_promise(sum.all(), "all rows");
}

/// A table of runs whose values are given in percent of the base.
Comparison table_of(const std::vector<std::vector<double>>& a,
                    const std::vector<std::vector<double>>& b) {
  const auto logs = [](const std::vector<std::vector<double>>& rows) {
    Side side = rows;
    for (auto& row : side) {
      for (double& x : row) x = std::log(1e6) + std::log(x / 100);
    }
    return side;
  };
  return compared(logs(a), logs(b), {});
}

// A change far beyond the threshold in a noisy row needs only a few more runs. A change of the size
// of the threshold would need many.
TEST(RunsNeeded, IsOfTheChangeSeenAndNotOfTheThreshold) {
  const Comparison result = table_of({{100, 112, 94}, {100, 101, 99}, {100, 100.5, 99.5}},
                                     {{30, 48, 27}, {100.2, 100.9, 99.2}, {100, 100.4, 99.6}});
  const auto row = std::ranges::find(result.rows, "0", &CompareRow::key);
  ASSERT_NE(row, result.rows.end());
  ASSERT_EQ(row->verdict, Verdict::inconclusive);
  EXPECT_LT(row->change, -0.6);
  EXPECT_TRUE(row->beyond_threshold);
  EXPECT_GT(row->q, 0.05);
  ASSERT_TRUE(row->runs_needed.has_value());
  EXPECT_GE(*row->runs_needed, 4);
  EXPECT_LE(*row->runs_needed, 8);
}

TEST(RunsNeeded, GrowsWithTheNoiseAndIsForSameWhereTheChangeIsSmall) {
  int before = 0;
  for (const double noise : {1.5, 3.0, 6.0}) {
    const std::vector<double> one = {100 - noise, 100, 100 + noise};
    const Comparison result = table_of({one}, {one});
    ASSERT_EQ(result.rows[0].verdict, Verdict::inconclusive) << noise;
    EXPECT_FALSE(result.rows[0].beyond_threshold);
    ASSERT_TRUE(result.rows[0].runs_needed.has_value());
    EXPECT_GT(*result.rows[0].runs_needed, before) << noise;
    before = *result.rows[0].runs_needed;
  }
}

// Missing runs of one side count: five runs against two may be decided by five against five.
TEST(RunsNeeded, CountsFromTheSideWithFewerRuns) {
  const Comparison result = table_of({{100, 101, 99, 100.5, 99.5}}, {{104, 106.2}});
  if (result.rows[0].verdict == Verdict::inconclusive) {
    ASSERT_TRUE(result.rows[0].runs_needed.has_value());
    EXPECT_GE(*result.rows[0].runs_needed, 3);
    EXPECT_LE(*result.rows[0].runs_needed, 10);
  }
}

}  // namespace
}  // namespace scalemark::compare
