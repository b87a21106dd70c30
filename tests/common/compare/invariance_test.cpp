// SPDX-License-Identifier: Apache-2.0
// What must not change a result: swapped sides, units, order, runs split over files.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/compare/compare.hpp"
#include "tests/support/generated_runs.hpp"

namespace scalemark::compare {
namespace {

test::Scenario mixed() {
  return {
      .runs_a = 4, .runs_b = 3, .rows = 60, .rows_differ = true, .changed = 0.3, .both_ways = true};
}

std::map<std::string, CompareRow> rows_of(const Comparison& comparison) {
  std::map<std::string, CompareRow> rows;
  for (const CompareRow& row : comparison.rows) rows[row.key] = row;
  return rows;
}

using Change = std::function<void(RowDigest&)>;

std::vector<RunDigest> changed(std::vector<RunDigest> runs, const Change& change) {
  for (RunDigest& run : runs) {
    for (auto& [key, row] : run.rows) change(row);
  }
  return runs;
}

class WhatMustNotMatter : public testing::Test {
 protected:
  void SetUp() override {
    std::size_t verdicts = 0;
    for (const CompareRow& row : whole.rows)
      verdicts += row.verdict == Verdict::regression || row.verdict == Verdict::improved;
    ASSERT_GT(verdicts, 5U) << "nothing to lose";
  }
  /// -1 if regressions and improvements are swapped
  void expect_same(const Comparison& other, double sign) const {
    const auto theirs = rows_of(other);
    ASSERT_EQ(theirs.size(), whole.rows.size());
    for (const CompareRow& row : whole.rows) {
      const CompareRow& their = theirs.at(row.key);
      EXPECT_NEAR(std::log1p(their.change), sign * std::log1p(row.change), 1e-12);
      EXPECT_NEAR(their.p, row.p, 1e-9);
      EXPECT_NEAR(their.q, row.q, 1e-9);
    }
  }
  void expect_same_verdicts(const Comparison& other, bool mirrored) const {
    const auto theirs = rows_of(other);
    for (const CompareRow& row : whole.rows) {
      Verdict want = row.verdict;
      if (mirrored && want == Verdict::regression) {
        want = Verdict::improved;
      } else if (mirrored && want == Verdict::improved) {
        want = Verdict::regression;
      }
      EXPECT_EQ(theirs.at(row.key).verdict, want) << row.key;
    }
  }

  const test::GeneratedTable table = test::generate(mixed(), 7);
  const std::vector<RunDigest> a = digests(table, true), b = digests(table, false);
  const Comparison whole = compare(a, b);
};

TEST_F(WhatMustNotMatter, SidesThatChangePlacesNegate) {
  const Comparison swapped = compare(b, a);
  expect_same(swapped, -1);
  expect_same_verdicts(swapped, true);
}

TEST_F(WhatMustNotMatter, TheUnit) {
  const Change in_microseconds = [](RowDigest& row) {
    row.unit = std::string("us");
    row.value *= 1e6;
  };
  const Comparison other = compare(changed(a, in_microseconds), changed(b, in_microseconds));
  expect_same(other, 1);
  expect_same_verdicts(other, false);
}

/// The same run with times in another unit, digested again.
std::vector<RunDigest> read_in(const std::vector<RunDigest>& runs, const std::string& unit,
                               double in_seconds) {
  std::vector<RunDigest> reduced;
  for (const RunDigest& run : runs) {
    Run file;
    file.uuid = run.uuid;
    for (const std::string& key : run.keys) {
      CaseResult result;
      result.key = key;
      result.primary_metric = "latency";
      Metric metric;
      metric.name = "latency";
      metric.unit = unit;
      metric.kind = MetricKind::count;
      metric.better = Better::lower;
      metric.samples.ranks = metric.samples.iterations = 1;
      metric.samples.values = std::vector<double>{run.rows.at(key).value / in_seconds};
      result.metrics = {metric};
      file.cases.push_back(std::move(result));
    }
    reduced.push_back(digest(file, run.label));
  }
  return reduced;
}

TEST_F(WhatMustNotMatter, TheUnitOfOneSide) {
  const std::vector<RunDigest> seconds = read_in(a, "s", 1);
  for (const auto& [unit, factor] :
       {std::pair("s", 1.0), std::pair("ms", 1e-3), std::pair("us", 1e-6), std::pair("ns", 1e-9)}) {
    const Comparison other = compare(seconds, read_in(b, unit, factor));
    expect_same(other, 1);
    expect_same_verdicts(other, false);
  }
}

TEST_F(WhatMustNotMatter, RateOrTime) {
  const Change as_rate = [](RowDigest& row) {
    row.metric = std::string("bandwidth");
    row.unit = std::string("By/s");
    row.better = Better::higher;
    row.value = 1024 / row.value;
  };
  const Comparison other = compare(changed(a, as_rate), changed(b, as_rate));
  expect_same(other, -1);
  expect_same_verdicts(other, false);
}

TEST_F(WhatMustNotMatter, TheOrderOfRunsAndRows) {
  std::vector<RunDigest> left = a, right = b;
  std::ranges::reverse(left);
  std::rotate(right.begin(), right.begin() + 1, right.end());
  for (RunDigest& run : left) std::ranges::reverse(run.keys);
  const Comparison other = compare(left, right);
  expect_same(other, 1);
  expect_same_verdicts(other, false);
}

// A run stored in two files: the first part lacks the second half of the rows.
TEST_F(WhatMustNotMatter, HowRunsAreSplit) {
  const auto split = [](const std::vector<RunDigest>& runs) {
    std::vector<RunDigest> parts;
    for (const RunDigest& run : runs) {
      for (const std::size_t half : {std::size_t{0}, std::size_t{1}}) {
        RunDigest part = run;
        part.uuid += half == 0 ? "first" : "second";
        part.keys.clear();
        part.rows.clear();
        for (std::size_t i = half; i < run.keys.size(); i += 2) {
          part.keys.push_back(run.keys[i]);
          part.rows[run.keys[i]] = run.rows.at(run.keys[i]);
        }
        parts.push_back(part);
      }
    }
    return parts;
  };
  const Comparison other = compare(split(a), split(b));
  expect_same(other, 1);
  expect_same_verdicts(other, false);
}

}  // namespace
}  // namespace scalemark::compare
