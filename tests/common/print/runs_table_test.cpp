// SPDX-License-Identifier: Apache-2.0
// The table over several runs.
#include "common/print/runs_table.hpp"

#include <cmath>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/base/error.hpp"
#include "common/print/runs_print.hpp"
#include "tests/common/compare/synthetic.hpp"

namespace scalemark::print {
namespace {

using nlohmann::json;
using test::measured;
using test::unmeasured;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

compare::RunDigest run(const std::string& name, std::vector<CaseResult> cases) {
  return test::digest_of(name, std::move(cases));
}

/// 100, 110 and 130 ns; a case that failed in one run, and a case that no run measured.
std::vector<compare::RunDigest> three_runs() {
  std::vector<compare::RunDigest> runs;
  for (const std::uint64_t time : {110U, 100U, 130U}) {
    const CaseResult second = time == 100 ? unmeasured("m/x", 16, Status::failed, "boom")
                                          : measured("m/x", 16, {2 * time});
    runs.push_back(
        run("run-" + std::to_string(time), {measured("m/x", 8, {time - 5, time, time + 5}), second,
                                            unmeasured("m/y", 8, Status::skipped, "no GPU"),
                                            unmeasured("m/y", 16, Status::skipped, "no GPU")}));
  }
  return runs;
}

RunsTable table_of(const std::vector<compare::RunDigest>& runs) {
  std::map<std::string, Point> params;
  for (const std::int64_t bytes : {8, 16}) {
    for (const char* name : {"m/x", "m/y"}) {
      const CaseResult one = measured(name, bytes, {1});
      params[one.key] = one.params;
    }
  }
  return runs_table(runs, params, [](const std::string&) { return true; });
}

std::string printed(const RunsTable& table, const std::string& format = "table",
                    PrintOptions options = {}) {
  std::ostringstream out;
  print_runs(table, {}, format, options, out);
  return out.str();
}

TEST(RunsTable, IsTheMedianOfTheRunsMediansWithTheirSpread) {
  const RunsTable table = table_of(three_runs());
  ASSERT_THAT(table.rows, SizeIs(4));
  const RunsRow& row = table.rows.front();
  EXPECT_EQ(row.key, "m/x bytes=8 ranks=2");
  EXPECT_EQ(row.runs(), 3U);
  ASSERT_THAT(row.metrics, SizeIs(2));
  const RunsMetric& time = row.metrics[0];
  EXPECT_EQ(time.name, "latency");
  EXPECT_DOUBLE_EQ(time.median, 110e-9);
  EXPECT_DOUBLE_EQ(time.min, 100e-9);
  EXPECT_DOUBLE_EQ(time.max, 130e-9);
  // Logarithms 4.70048, 4.60517 and 4.86753: standard deviation 0.132807, mean 4.724395; Student's
  // t of 2 degrees of freedom 4.302653, so the ends are exp(4.724395 -+ 0.329911).
  EXPECT_NEAR(time.spread, 0.132807, 1e-6);
  EXPECT_NEAR(time.low * 1e9, 81.0028, 1e-3);
  EXPECT_NEAR(time.high * 1e9, 156.6957, 1e-3);
  EXPECT_EQ(row.metrics[1].name, "bandwidth");
  EXPECT_DOUBLE_EQ(row.metrics[1].median, 8 / 110e-9);
}

TEST(RunsTable, OneValueHasNoSpread) {
  std::vector<compare::RunDigest> runs = three_runs();
  runs[2].rows.at("m/x bytes=16 ranks=2").status = Status::failed;
  const RunsMetric time = table_of(runs).rows[1].metrics[0];
  EXPECT_DOUBLE_EQ(time.median, 220e-9);
  EXPECT_TRUE(std::isnan(time.spread) && std::isnan(time.low) && std::isnan(time.high));
}

TEST(RunsTable, SaysWhichRunsLackACase) {
  std::vector<compare::RunDigest> runs = three_runs();
  runs[2].rows.erase("m/x bytes=16 ranks=2");
  std::erase(runs[2].keys, "m/x bytes=16 ranks=2");
  const RunsTable table = table_of(runs);
  ASSERT_THAT(table.rows[1].without, SizeIs(2));
  EXPECT_EQ(table.rows[1].without[0].run, "run-100.h5");
  EXPECT_EQ(table.rows[1].without[0].status, Status::failed);
  EXPECT_FALSE(table.rows[1].without[1].status);
  EXPECT_THAT(printed(table), HasSubstr("run-100.h5: failed: boom; not in run-130.h5\n"));
  EXPECT_EQ(table.rows[2].status(), Status::skipped);
  EXPECT_THAT(printed(table),
              HasSubstr("  skipped: no GPU\n  (1 more skipped for the same reason)"));
  EXPECT_THAT(printed(table),
              HasSubstr("4 cases: 1 measured in all 3 runs, 1 in some, 2 skipped\n"));
}

TEST(RunsTable, SaysWhereRunsWereNotMadeAlike) {
  std::vector<compare::RunDigest> runs = three_runs();
  EXPECT_THAT(table_of(runs).differences, SizeIs(0));
  runs[1].environment["ranks"] = "4";
  runs[1].environment["load_average"] = "7";
  runs[2].environment["program.git_revision"] = "b";
  runs[0].environment["program.git_revision"] = runs[1].environment["program.git_revision"] = "a";
  const RunsTable table = table_of(runs);
  EXPECT_THAT(
      runs_remarks(table),
      ElementsAre(
          "The runs were not made under the same conditions: program.git_revision a (run-110.h5, "
          "run-100.h5) | b (run-130.h5); ranks 2 (run-110.h5, run-130.h5) | 4 "
          "(run-100.h5)"));
  EXPECT_LT(printed(table).find("not made under the same conditions"), printed(table).find("m/x"));
}

TEST(RunsTable, HashesOfHostsSayNothingUnlessTheyAreShared) {
  std::vector<compare::RunDigest> runs = three_runs();
  runs[0].nodes = "host-09d7e33225", runs[1].nodes = "host-61110b7a18", runs[2].nodes = "host-78";
  EXPECT_THAT(table_of(runs).differences, SizeIs(0));
  runs[2].nodes = runs[0].nodes;
  EXPECT_THAT(table_of(runs).differences, SizeIs(1));
  runs[2].nodes = "other";
  EXPECT_THAT(table_of(runs).differences, SizeIs(1));
}

TEST(RunsTable, RefusesRunsThatCountTwice) {
  std::vector<compare::RunDigest> runs = three_runs();
  runs.push_back(runs[0]);
  EXPECT_THROW(table_of(runs), UsageError);
  runs.pop_back();
  runs[1].stands_for = {"a", "b"};
  EXPECT_THROW(table_of(runs), UsageError);
}

TEST(RunsPrint, FitsTheTerminal) {
  const RunsTable table = table_of(three_runs());
  EXPECT_THAT(printed(table), HasSubstr("  bytes  latency [us]   spread     lowest, highest run  "
                                        "bandwidth [GB/s]     runs\n"
                                        "      8        0.1100     13 %        [0.1000, 0.1300]  "
                                        "         0.07273        3\n"));
  const std::string narrow = printed(table, "table", {.width = 60});
  EXPECT_THAT(narrow, HasSubstr("  bytes  latency [us]   spread  bandwidth [GB/s]    runs\n"
                                "      8        0.1100     13 %           0.07273       3\n"));
  EXPECT_THAT(narrow, Not(HasSubstr("lowest, highest")));
}

TEST(RunsPrint, JsonAndCsvHaveTheNumbersOfEveryRun) {
  const RunsTable table = table_of(three_runs());
  const json rows = json::parse(printed(table, "json"));
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0]["params"], json({{"bytes", 8}, {"ranks", 2}}));
  EXPECT_EQ(rows[0]["runs"], 3);
  EXPECT_EQ(rows[0]["metrics"]["latency"]["n"], 3);
  EXPECT_EQ(rows[0]["metrics"]["latency"]["values"].size(), 3U);
  EXPECT_EQ(rows[1]["status"], "ok");
  EXPECT_EQ(rows[1]["without"][0]["status"], "failed");
  EXPECT_EQ(rows[2]["status"], "skipped");
  EXPECT_EQ(rows[2]["reason"], "no GPU");
  const std::string lines = printed(table, "jsonl");
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 4);
  EXPECT_EQ(json::parse(lines.substr(0, lines.find('\n'))), rows[0]);
  const std::string csv = printed(table, "csv");
  EXPECT_THAT(csv, HasSubstr("key,name,status,reason,metric,primary,unit,better,median,low,high,n,"
                             "spread,min,max,runs,bytes,ranks\n"));
  EXPECT_THAT(csv, HasSubstr("\nm/x bytes=8 ranks=2,m/x,ok,,latency,true,s,lower,1.1e-07,"));
  EXPECT_THAT(csv, HasSubstr("\nm/y bytes=8 ranks=2,m/y,skipped,no GPU,,,,,,,,,,,,3,8,2\n"));
  EXPECT_THROW(printed(table, "osu"), UsageError);
}

}  // namespace
}  // namespace scalemark::print
