// SPDX-License-Identifier: Apache-2.0
// The summary sentence of a comparison, one situation per test.
#include <cmath>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/compare/print/comparison.hpp"

namespace scalemark::compare {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

CompareRow row(const std::string& key, Verdict verdict, double change) {
  CompareRow made;
  made.key = key;
  made.metric = std::string("latency");
  made.unit = std::string("s");
  made.better = Better::lower;
  made.a = 1e-3;
  made.b = 1e-3 * (1 + change);
  made.change = change;
  made.low = change - 0.05;
  made.high = change + 0.05;
  made.runs_a = made.runs_b = 3;
  made.verdict = verdict;
  return made;
}

std::string memcpy_key(std::int64_t bytes, const std::string& direction = "h2h") {
  return "micro/memcpy bytes=" + std::to_string(bytes) + " direction=" + direction + " ranks=1";
}

CompareRow open_row(const std::string& key, std::optional<int> runs_needed) {
  CompareRow made = row(key, Verdict::inconclusive, 0.02);
  made.runs_needed = runs_needed;
  return made;
}

Comparison of(std::vector<CompareRow> rows) {
  Comparison comparison;
  comparison.rows = std::move(rows);
  comparison.runs_a = comparison.runs_b = 3;
  return comparison;
}

std::vector<CompareRow> repeated(std::size_t count, const CompareRow& model) {
  std::vector<CompareRow> rows;
  for (std::size_t i = 0; i < count; ++i) {
    rows.push_back(model);
    rows.back().key = memcpy_key(1 << (4 + i), "d2h");
  }
  return rows;
}

TEST(Summary, NamesTheWorstCaseAndSaysWhatWouldDecideTheOthers) {
  Comparison comparison = of({row(memcpy_key(64 << 20), Verdict::regression, 3.27),
                              row(memcpy_key(1 << 20), Verdict::regression, 0.30)});
  for (const int needed : {5, 6, 8, 8, 54, 1000})
    comparison.rows.push_back(open_row(memcpy_key(8 << comparison.rows.size(), "d2h"), needed));
  EXPECT_EQ(
      summary_sentence(comparison),
      "B is slower in 2 of 8 cases: memcpy 64 MiB h2h +327 %; 6 undecided (5 more runs per side "
      "would decide 4 of them, the other 2 need a quieter machine or a larger --threshold)");
  comparison.side_b.name = "new";
  EXPECT_THAT(summary_sentence(comparison), testing::StartsWith("new is slower in 2 of 8 cases"));
  comparison.side_b.name = "a-very-long-folder-name-of-a-side";
  EXPECT_THAT(summary_sentence(comparison), testing::StartsWith("B is slower"));
}

TEST(Summary, OfFasterAndMixedResults) {
  Comparison comparison =
      of({row(memcpy_key(8), Verdict::improved, -0.20), row(memcpy_key(16), Verdict::same, 0.001)});
  EXPECT_EQ(summary_sentence(comparison), "B is faster in 1 of 2 cases: memcpy 8 B -20 %");
  comparison.rows.push_back(row(memcpy_key(32), Verdict::regression, 0.05));
  EXPECT_EQ(summary_sentence(comparison),
            "B is slower in 1 of 3 cases: memcpy 32 B +5.0 %, and faster in 1: memcpy 8 B -20 %");
}

TEST(Summary, OfARateNamesTheMetric) {
  CompareRow slow = row("micro/stream ranks=1", Verdict::regression, -0.5);
  slow.metric = std::string("bandwidth");
  slow.unit = std::string("By/s");
  slow.better = Better::higher;
  EXPECT_EQ(summary_sentence(of({slow})), "B is slower in the only case: stream bandwidth -50 %");
}

TEST(Summary, OfWhatIsNoSpeedSaysWorse) {
  CompareRow loss = row("llm/finetune ranks=1", Verdict::regression, 0.5);
  loss.metric = std::string("loss");
  loss.unit = std::string("1");
  EXPECT_EQ(summary_sentence(of({loss})), "B is worse in the only case: finetune loss +50 %");
}

TEST(Summary, OfNothingChanged) {
  Comparison comparison = of(repeated(8, row("", Verdict::same, 0.001)));
  EXPECT_EQ(summary_sentence(comparison), "B is as good as A in all 8 cases, within 1 %");
  comparison.side_a.name = "base";
  comparison.side_b.name = "new";
  comparison.rows.resize(1);
  EXPECT_EQ(summary_sentence(comparison), "new is as good as base in the only case, within 1 %");
}

TEST(Summary, OfUndecidedCasesOnly) {
  Comparison comparison = of(repeated(4, open_row("", 4)));
  EXPECT_EQ(summary_sentence(comparison),
            "No change is shown between A and B, and none ruled out: all 4 cases undecided (1 more "
            "run per side would decide them)");
  for (CompareRow& one : comparison.rows) one.runs_needed = 1000;
  EXPECT_THAT(
      summary_sentence(comparison),
      EndsWith("all 4 cases undecided (more runs will not decide them: quieten the machine or "
               "raise --threshold)"));
  // The row that needs fewest asks for 433 more runs, which nobody makes.
  comparison.rows[0].runs_needed = 436;
  EXPECT_THAT(summary_sentence(comparison),
              EndsWith("(more runs will not decide them: quieten the machine or raise "
                       "--threshold)"));
  comparison.rows[1].runs_needed.reset();
  EXPECT_THAT(summary_sentence(comparison), HasSubstr("(more runs will not decide 3 of them: "));
  comparison.rows.resize(1);
  comparison.rows[0].runs_needed = 7;
  EXPECT_THAT(summary_sentence(comparison),
              EndsWith("the only case undecided (4 more runs per side would decide it)"));
  comparison.rows[0].runs_needed.reset();
  EXPECT_THAT(summary_sentence(comparison), EndsWith("the only case undecided"));
}

TEST(Summary, OfSomeTheSameAndSomeUndecided) {
  Comparison comparison = of({row(memcpy_key(8), Verdict::same, 0), open_row(memcpy_key(16), 5)});
  EXPECT_EQ(summary_sentence(comparison),
            "B is as good as A in 1 of 2 cases, within 1 %; 1 undecided (2 more runs per side "
            "would decide it)");
}

// With different numbers of runs per side, "more" has no common meaning.
TEST(Summary, OfUnevenSidesCountsAllRuns) {
  CompareRow open = open_row(memcpy_key(8), 7);
  open.runs_a = 5;
  open.runs_b = 2;
  EXPECT_THAT(summary_sentence(of({open})), HasSubstr("(7 runs per side would decide it)"));
}

TEST(Summary, SaysWhatTheRowsNeedThatFewMoreRunsDoNotDecide) {
  Comparison comparison = of(repeated(3, open_row("", 300)));
  comparison.rows[0].runs_needed = 6;
  EXPECT_THAT(summary_sentence(comparison),
              EndsWith("(3 more runs per side would decide 1 of them, the other 2 need a quieter "
                       "machine or a larger --threshold)"));
  comparison.rows[1].runs_needed = 6;
  EXPECT_THAT(summary_sentence(comparison),
              EndsWith("(3 more runs per side would decide 2 of them, the other needs a quieter "
                       "machine or a larger --threshold)"));
  // One of the other two rows has no known number.
  comparison.rows[1].runs_needed.reset();
  EXPECT_THAT(
      summary_sentence(comparison),
      EndsWith("(3 more runs per side would decide 1 of them, 1 needs a quieter machine or a "
               "larger --threshold)"));
}

// The third row needs 47 more runs, which is still suggested.
TEST(Summary, DoesNotAskForTheRunsOfTheLastThird) {
  Comparison comparison = of(repeated(3, open_row("", 6)));
  comparison.rows[0].runs_needed = 50;
  EXPECT_THAT(summary_sentence(comparison),
              EndsWith("(3 more runs per side would decide 2 of them, the other needs more runs, a "
                       "quieter machine or a larger --threshold)"));
  // At most 50 more runs are suggested.
  comparison.rows.resize(1);
  comparison.rows[0].runs_needed = 53;
  EXPECT_THAT(summary_sentence(comparison), EndsWith("(50 more runs per side would decide it)"));
  comparison.rows[0].runs_needed = 54;
  EXPECT_THAT(summary_sentence(comparison), HasSubstr("(more runs will not decide it: "));
}

CompareRow single(const std::string& key, double change) {
  CompareRow made = row(key, Verdict::inconclusive, change);
  made.low = made.high = made.p = made.q = NAN;
  made.runs_a = made.runs_b = 1;
  made.flags = {"single_run"};
  return made;
}

TEST(Summary, OfOneRunASide) {
  Comparison comparison = of({single(memcpy_key(8), 0.02), single(memcpy_key(16), -0.5)});
  EXPECT_EQ(summary_sentence(comparison),
            "One run per side cannot show whether B changed: largest difference memcpy 16 B -50 %; "
            "all 2 cases undecided (3 runs per side would show the noise)");
  comparison.options.single_run_threshold = 0.1;
  comparison.rows[0].change = 0.3;
  comparison.rows[0].flags.emplace_back("over_single_run_threshold");
  EXPECT_EQ(summary_sentence(comparison),
            "B is over 10 % slower in 1 of 2 cases, by one run per side: memcpy 8 B +30 %; 1 "
            "undecided (3 runs per side would show the noise)");
}

TEST(Summary, OfFailedAndMissingCases) {
  Comparison comparison = of({row(memcpy_key(8), Verdict::same, 0)});
  comparison.failed = {{memcpy_key(16), "ok", "failed", "boom", true},
                       {memcpy_key(32), "oom", "oom", "", false}};
  comparison.only_a = {memcpy_key(64), memcpy_key(128)};
  EXPECT_EQ(summary_sentence(comparison),
            "1 case failed in B: memcpy 16 B; 2 cases missing in B: memcpy 64 B; B is as good as A "
            "in the only case, within 1 %");
  comparison.rows[0].verdict = Verdict::regression;
  comparison.rows[0].change = 0.5;
  EXPECT_EQ(summary_sentence(comparison),
            "B is slower in the only case: memcpy 8 B +50 %; 1 case failed in B: memcpy 16 B; 2 "
            "cases missing in B: memcpy 64 B");
}

TEST(Summary, OfNothingComparable) {
  Comparison comparison;
  comparison.only_a = {memcpy_key(8)};
  EXPECT_EQ(summary_sentence(comparison),
            "Nothing was compared: no case has a result in both A and B; 1 case missing in B: "
            "memcpy");
  CompareRow unusable = row(memcpy_key(8), Verdict::inconclusive, NAN);
  EXPECT_EQ(summary_sentence(of({unusable})),
            "Nothing was compared: no case has a usable value of the same metric in both A and B");
}

TEST(Summary, IsTheLastLineOfTextAndStandsInTheOtherFormats) {
  Comparison comparison = of({row(memcpy_key(8), Verdict::regression, 0.2)});
  comparison.side_a.name = "base";
  comparison.side_b.name = "new";
  const auto printed = [&](const char* format) {
    std::ostringstream out;
    print_comparison(comparison, format, out);
    return out.str();
  };
  const std::string sentence = summary_sentence(comparison);
  EXPECT_THAT(printed("text"), EndsWith("\n" + sentence + "\n"));
  EXPECT_THAT(printed("text"), HasSubstr("A (base): 3 runs"));
  EXPECT_THAT(printed("md"), HasSubstr("new is slower in the only case"));
  EXPECT_THAT(printed("junit"), HasSubstr(sentence));
  EXPECT_THAT(printed("csv"), HasSubstr(",side_a,side_b\n"));
  EXPECT_THAT(printed("csv"), HasSubstr(",base,new\n"));
  const nlohmann::json document = to_json(comparison);
  EXPECT_EQ(document.at("summary"), sentence);
  EXPECT_EQ(document.at("sides").at("a").at("name"), "base");
  EXPECT_EQ(document.at("sides").at("b").at("runs"), 3);
}

// The output shows why a row is inconclusive although its interval lies beyond the threshold.
TEST(CompareRows, ShowTheAdjustedPOfAnOpenRowBeyondTheThreshold) {
  CompareRow beyond = open_row(memcpy_key(8), 4);
  beyond.change = -0.666;
  beyond.q = 0.0831;
  beyond.beyond_threshold = true;
  const auto printed = [](const CompareRow& one, const char* format) {
    std::ostringstream out;
    print_comparison(of({one}), format, out);
    return out.str();
  };
  for (const char* format : {"text", "md", "junit"})
    EXPECT_THAT(printed(beyond, format), HasSubstr("p=0.083")) << format;
  EXPECT_THAT(printed(beyond, "text"), HasSubstr("must be at most 0.05"));
  beyond.beyond_threshold = false;
  EXPECT_THAT(printed(beyond, "text"), Not(HasSubstr("p=")));
}

}  // namespace
}  // namespace scalemark::compare
