// SPDX-License-Identifier: Apache-2.0
// Sweeps folded into lines, and their sparklines.
#include "common/compare/fold.hpp"

#include <cmath>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/compare/print/table.hpp"
#include "common/text/sparkline.hpp"

namespace scalemark::compare {
namespace {

CompareRow row(const std::string& key, Verdict verdict, double change) {
  CompareRow made;
  made.key = key;
  made.metric = std::string("latency");
  made.unit = std::string("s");
  made.better = Better::lower;
  made.a = 1e-5;
  made.b = made.a * (1 + change);
  made.change = change;
  made.low = change - 0.01;
  made.high = change + 0.01;
  made.verdict = verdict;
  return made;
}

/// Worst first, as in a comparison: 1024 bytes is a regression, the others are SAME.
std::vector<CompareRow> sweep() {
  return {row("micro/x bytes=1024 ranks=2", Verdict::regression, 0.2),
          row("micro/x bytes=8 ranks=2", Verdict::same, 0.001),
          row("micro/x bytes=16384 ranks=2", Verdict::same, -0.002),
          row("micro/x bytes=64 ranks=2", Verdict::same, 0)};
}

TEST(Fold, MakesASweepOneLine) {
  const std::vector<CompareRow> rows = sweep();
  const std::vector<FoldGroup> groups = fold_rows(rows, false);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].benchmark, "micro/x");
  EXPECT_EQ(groups[0].metric, "latency");
  ASSERT_EQ(groups[0].folds.size(), 1U);
  const Fold& fold = groups[0].folds[0];
  EXPECT_EQ(fold.key, "micro/x bytes=8..16384 ranks=2");
  EXPECT_EQ(fold.axis, "bytes");
  EXPECT_EQ(fold.worst, &rows[0]);
  std::vector<std::string> values;
  for (const CompareRow* one : fold.rows) values.push_back(axis_value(one->key, "bytes"));
  EXPECT_THAT(values, testing::ElementsAre("8", "64", "1024", "16384"));
}

// Rows are sorted by the size of the change, in either direction.
TEST(Fold, AnImprovementIsNotTheWorst) {
  std::vector<CompareRow> rows = {row("micro/x bytes=8", Verdict::improved, -0.5),
                                  row("micro/x bytes=16", Verdict::inconclusive, -0.4),
                                  row("micro/x bytes=32", Verdict::inconclusive, 0.03),
                                  row("micro/x bytes=64", Verdict::same, 0.005)};
  const auto worst = [&] { return fold_rows(rows, false).at(0).folds.at(0).worst->key; };
  EXPECT_EQ(worst(), "micro/x bytes=32");
  for (CompareRow& one : rows) one.better = Better::higher;
  EXPECT_EQ(worst(), "micro/x bytes=16");
  rows[1].verdict = rows[2].verdict = Verdict::same;
  EXPECT_EQ(worst(), "micro/x bytes=16");
  for (CompareRow& one : rows) one.better = Better::lower;
  EXPECT_EQ(worst(), "micro/x bytes=32");
  rows[0].verdict = Verdict::regression;
  EXPECT_EQ(worst(), "micro/x bytes=8");
}

TEST(Fold, KeepsEveryRowWhereAllAreWanted) {
  const std::vector<CompareRow> rows = sweep();
  const std::vector<FoldGroup> groups = fold_rows(rows, true);
  ASSERT_EQ(groups[0].folds.size(), 4U);
  EXPECT_EQ(groups[0].folds[0].key, "micro/x bytes=1024 ranks=2");
  EXPECT_TRUE(groups[0].folds[0].axis.empty());
}

TEST(Fold, KeepsRowsApartThatDifferInAnotherAxis) {
  std::vector<CompareRow> rows;
  for (const char* ranks : {"2", "4"}) {
    for (const char* bytes : {"8", "16", "32"}) {
      rows.push_back(
          row(std::string("micro/x bytes=") + bytes + " ranks=" + ranks, Verdict::same, 0));
    }
  }
  rows.push_back(row("micro/x bytes=8 dtype=fp16 ranks=2", Verdict::same, 0));
  const std::vector<FoldGroup> groups = fold_rows(rows, false);
  std::vector<std::string> keys;
  for (const Fold& fold : groups.at(0).folds) keys.push_back(fold.key);
  EXPECT_THAT(keys,
              testing::ElementsAre("micro/x bytes=8..32 ranks=2", "micro/x bytes=8..32 ranks=4",
                                   "micro/x bytes=8 dtype=fp16 ranks=2"));
}

TEST(Fold, TakesAnotherNumericAxisWhereThereIsNoSize) {
  const std::vector<CompareRow> rows = {row("imaging/train mode=tuned ranks=4", Verdict::same, 0),
                                        row("imaging/train mode=tuned ranks=1", Verdict::same, 0),
                                        row("imaging/train mode=tuned ranks=2", Verdict::same, 0),
                                        row("imaging/train mode=paper ranks=2", Verdict::same, 0)};
  const std::vector<FoldGroup> groups = fold_rows(rows, false);
  ASSERT_EQ(groups[0].folds.size(), 2U);
  EXPECT_EQ(groups[0].folds[0].key, "imaging/train mode=tuned ranks=1..4");
}

TEST(Fold, LeavesPairsAndWordsAlone) {
  const std::vector<CompareRow> rows = {
      row("m/x bytes=8", Verdict::same, 0), row("m/x bytes=16", Verdict::same, 0),
      row("m/y mode=a", Verdict::same, 0), row("m/y mode=b", Verdict::same, 0),
      row("m/y mode=c", Verdict::same, 0)};
  for (const FoldGroup& group : fold_rows(rows, false)) {
    for (const Fold& fold : group.folds) EXPECT_TRUE(fold.axis.empty()) << fold.key;
  }
}

TEST(Fold, LosesNoRow) {
  std::vector<CompareRow> rows;
  for (const char* key :
       {"", " ", "=", "a =1", "a =2", "a =3", "a b=1 b=2", "a b=1 b=3", "a b=1e9", "a b=nan", "a b",
        "micro/x bytes=", "micro/x bytes=1", "micro/x bytes=2", "micro/x bytes=3 bytes=4"}) {
    rows.push_back(row(key, Verdict::same, 0));
  }
  rows[3].metric = std::string("time");
  std::set<const CompareRow*> seen;
  std::size_t count = 0;
  for (const FoldGroup& group : fold_rows(rows, false)) {
    for (const Fold& fold : group.folds) {
      seen.insert(fold.rows.begin(), fold.rows.end());
      count += fold.rows.size();
      for (const CompareRow* one : fold.rows) EXPECT_EQ(one->metric, group.metric);
    }
  }
  EXPECT_EQ(seen.size(), rows.size());
  EXPECT_EQ(count, rows.size());
}

TEST(Fold, PutsTheWorstBenchmarkFirst) {
  std::vector<CompareRow> rows = {row("m/late bytes=8", Verdict::regression, 0.3)};
  for (const CompareRow& one : sweep()) rows.push_back(one);
  const std::vector<FoldGroup> groups = fold_rows(rows, false);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].benchmark, "m/late");
}

TEST(SparkLine, HasItsMiddleAtZeroAndItsEndsAtTheLimit) {
  const std::vector<double> values = {-2, -1, 0, 1, 2, std::nan("")};
  EXPECT_EQ(text::spark_line(values, 1, false), "__=##?");
  EXPECT_EQ(text::spark_line(std::vector<double>{-0.66, -0.33, 0.33, 0.66}, 1, false), ".-+*");
  // Blocks of Unicode: U+2581 lowest, U+2584 middle, U+2588 highest.
  EXPECT_EQ(text::spark_line(std::vector<double>{-1, 0, 1}, 1, true),
            "\xe2\x96\x81\xe2\x96\x84\xe2\x96\x88");
  EXPECT_EQ(text::spark_line(values, 0, false), "??????");
}

TEST(CompareTable, ShowsASweepByItsWorstPoint) {
  const std::vector<CompareRow> rows = sweep();
  const CompareTable table = compare_table(fold_rows(rows, false)[0], 0.01, false, true);
  std::vector<std::string> headers;
  for (const text::TextColumn& column : table.columns) headers.push_back(column.header);
  EXPECT_THAT(headers, testing::ElementsAre("verdict", "case", "sweep", "points", "worst at",
                                            "latency A us", "B us", "change %", "95 % interval",
                                            "runs", "runs needed", "flags"));
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0].color, "31");
  EXPECT_THAT(table.rows[0].cells,
              testing::ElementsAre("REGRESSION", "micro/x bytes=8..16384 ranks=2",
                                   "==#=", "1 regression, 3 same", "bytes=1024", "10.00", "12.00",
                                   "+20.0", "[+19.0, +21.0]", "0 v 0", "-", ""));
  const CompareTable all = compare_table(fold_rows(rows, true)[0], 0.01, false, false);
  EXPECT_EQ(all.columns.size(), headers.size() - 3);
  EXPECT_EQ(all.rows.size(), 4U);
}

TEST(CompareTable, DrawsALowerRateAsHigherCost) {
  std::vector<CompareRow> rows = sweep();
  for (CompareRow& one : rows) one.better = Better::higher;
  rows[0].change = -0.2;
  const CompareTable table = compare_table(fold_rows(rows, false)[0], 0.01, false, false);
  EXPECT_EQ(table.rows[0].cells[2], "==#=");
}

}  // namespace
}  // namespace scalemark::compare
