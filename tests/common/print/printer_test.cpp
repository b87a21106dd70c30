// SPDX-License-Identifier: Apache-2.0
// Result rows as table, CSV and JSON.
#include "common/print/printer.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/formats/make_printer.hpp"
#include "tests/common/compare/synthetic.hpp"

namespace scalemark {
namespace {

using nlohmann::json;
using test::measured;
using test::unmeasured;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<CaseResult> example() {
  return {measured("micro/allreduce", 8, {1000, 1200, 1100}),
          measured("micro/allreduce", 1048576, {1500000}),
          unmeasured("micro/allreduce", 4194304, Status::oom, "needs 12 MiB"),
          unmeasured("micro/memcpy", 8, Status::skipped, "no CUDA device")};
}

std::string printed(const std::string& format, const std::vector<CaseResult>& cases,
                    PrintOptions options = {}, bool announced = true) {
  scalemark::Run run = test::run_of("u-1", cases);
  if (!announced) run.planned.clear();
  std::ostringstream out;
  const auto printer = make_printer(format, out, options);
  printer->begin(run);
  for (const CaseResult& one : cases) printer->add(one);
  run.cases.clear();  // the cases were passed to add()
  printer->end(run);
  return out.str();
}

TEST(Table, GroupsByBenchmarkAndAlignsColumns) {
  EXPECT_EQ(printed("table", example(), {.quiet = true}),
            "micro/allreduce ranks=2\n"
            "    bytes  latency [us]           95 % interval  bandwidth [GB/s]        n"
            "       mean        min        p95        p99      p99.9\n"
            "        8         1.100          [1.000, 1.200]          0.007273        3"
            "      1.100      1.000\n"
            "  1048576          1500                       -            0.6991        1"
            "       1500       1500\n"
            "  4194304  oom: needs 12 MiB\n"
            "\n"
            "micro/memcpy bytes=8 ranks=2\n"
            "  skipped: no CUDA device\n");
}

TEST(Table, ShowsThePartOfThePeakInPercent) {
  CaseResult with = measured("m/x", 8, {1000, 1200, 1100});
  Metric fraction = *with.find("bandwidth");
  fraction.name = "peak_fraction";
  fraction.unit = "1";
  fraction.numerator = 550e-9;  // minimum time in seconds
  with.metrics.push_back(fraction);
  const std::string text = printed("table", {with}, {.quiet = true});
  EXPECT_THAT(text, HasSubstr("95 % interval      % peak  bandwidth [GB/s]        n"));
  EXPECT_THAT(text, HasSubstr("[1.000, 1.200]       50.00          0.007273        3"));
}

TEST(Table, FoldsRowsSkippedForOneReason) {
  std::vector<CaseResult> cases;
  for (const std::int64_t bytes : {1, 2, 3}) {
    cases.push_back(unmeasured("m/x", bytes, Status::skipped, "no GPU"));
  }
  cases.push_back(unmeasured("m/x", 4, Status::skipped, "too large"));
  cases.push_back(unmeasured("m/x", 5, Status::failed, "boom"));
  cases.push_back(unmeasured("m/x", 6, Status::failed, "boom"));
  EXPECT_EQ(printed("table", cases, {.quiet = true}),
            "m/x ranks=2\n"
            "  bytes\n"
            "      1  skipped: no GPU\n"
            "  (2 more skipped for the same reason)\n"
            "      4  skipped: too large\n"
            "      5  failed: boom\n"
            "      6  failed: boom\n");
  cases.resize(3);
  EXPECT_THAT(printed("table", cases),
              HasSubstr("(2 more skipped for the same reason)\n\n3 cases: 3 skipped\n"));
}

TEST(Table, CountsInTheFooter) {
  const std::string text = printed("table", example());
  EXPECT_THAT(text, HasSubstr("Scalemark 0.1.0, 2 ranks on 1 node, 2026-01-31T12:00:00.000Z\n"));
  EXPECT_THAT(text, HasSubstr("4 cases: 2 ok, 1 skipped, 1 oom\n"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(Table, TellsWhatIsNotThereAndNotChecked) {
  std::vector<CaseResult> cases = {measured("m/x", 8, {10})};
  cases[0].verification = {};
  scalemark::Run run = test::run_of("u", cases);
  run.planned.emplace_back("m/x bytes=16 ranks=2");
  run.complete = false;
  std::ostringstream out;
  const auto printer = make_printer("table", out, {});
  printer->begin(run);
  printer->add(cases[0]);
  printer->end(run);
  EXPECT_THAT(out.str(),
              HasSubstr("1 case: 1 ok; 1 without verified data; 1 of 2 planned cases is missing; "
                        "the run is not complete"));
}

TEST(Table, CountsWhatEarlierLaunchesOfTheRunHaveLeftInItsFile) {
  std::vector<CaseResult> cases;
  for (const std::int64_t bytes : {8, 16, 32, 64}) cases.push_back(measured("m/x", bytes, {10}));
  for (std::size_t i = 0; i < cases.size(); ++i) cases[i].index = i;
  PrintOptions options;
  // Some sweeps of the last case were stored earlier; this launch completed it.
  options.finished_before = [] {
    return std::map<std::size_t, FinishedCase>{
        {0, {}}, {1, {.status = Status::skipped}}, {3, {.sweeps = 1}}};
  };
  std::ostringstream out;
  const auto printer = make_printer("table", out, options);
  printer->begin(test::run_of("u", cases));
  printer->add(cases[3]);
  printer->end(test::run_of("u", cases));
  EXPECT_THAT(out.str(), HasSubstr("3 cases (1 measured now, 2 before): 2 ok, 1 skipped; 1 of 4 "
                                   "planned cases is missing\n"));
}

TEST(Table, ShowsEveryAxisOfCasesThatNobodyAnnounced) {
  const std::string text = printed("table", example(), {.quiet = true}, false);
  EXPECT_THAT(text, HasSubstr("micro/allreduce\n"));
  EXPECT_THAT(text, HasSubstr("         8           2"));
}

TEST(Table, DoesNotTitleACaseWithWhatIsNotTrueOfIt) {
  CaseResult other = measured("m/x", 8, {10});
  other.params["ranks"] = std::int64_t{4};
  std::ostringstream out;
  const auto printer = make_printer("table", out, {.quiet = true});
  printer->begin(test::run_of("u", {measured("m/x", 8, {10})}));
  printer->add(other);
  EXPECT_THAT(out.str(), Not(HasSubstr("ranks=2")));
}

TEST(Table, ObeysDecimalsAndWidth) {
  EXPECT_THAT(printed("table", example(), {.decimals = 1}), HasSubstr("       1.1  "));
  const std::string narrow = printed("table", example(), {.width = 50, .quiet = true});
  EXPECT_THAT(narrow, Not(HasSubstr("bandwidth")));
  EXPECT_THAT(narrow, HasSubstr("(+1 more: --format csv)"));
}

TEST(Table, KeepsBandwidthWhereTheIntervalHasToGiveWay) {
  const std::string wide = printed("table", example(), {.width = 74, .quiet = true});
  EXPECT_THAT(wide, HasSubstr("95 % interval  bandwidth [GB/s]        n\n"));
  const std::string narrow = printed("table", example(), {.width = 66});
  EXPECT_THAT(narrow, HasSubstr("    bytes  latency [us]   \u00b1 95 %  bandwidth [GB/s]       n\n"
                                "        8         1.100  \u00b1 9.1 %          0.007273       3\n"
                                "  1048576          1500        -            0.6991       1\n"));
  EXPECT_THAT(narrow, HasSubstr("\u00b1: half-width of that interval in percent of the median"));
  const std::string ascii = printed("table", example(), {.width = 66, .utf8 = false});
  EXPECT_THAT(ascii, HasSubstr("+- 95 %"));
  EXPECT_THAT(ascii, HasSubstr("+- 9.1 %"));
  EXPECT_THAT(ascii, Not(HasSubstr("\u00b1")));
}

TEST(Table, PrefersBandwidthToThePartOfThePeak) {
  CaseResult with = measured("m/x", 8, {1000, 1200, 1100});
  Metric fraction = *with.find("bandwidth");
  fraction.name = "peak_fraction";
  fraction.unit = "1";
  with.metrics.push_back(fraction);
  const std::string narrow = printed("table", {with}, {.width = 50, .quiet = true});
  EXPECT_THAT(narrow, HasSubstr("bandwidth [GB/s]       n"));
  EXPECT_THAT(narrow, Not(HasSubstr("% peak")));
  EXPECT_THAT(narrow, HasSubstr("(+1 more: --format csv)"));
}

TEST(Table, SaysHowFarSweepsAreApartWhereThereAreSome) {
  std::vector<CaseResult> cases = {measured("m/x", 8, {1000, 1200, 1100}),
                                   measured("m/x", 16, {1000, 1200, 1100}),
                                   measured("m/y", 8, {1000, 1200, 1100})};
  cases[0].facts["between_sweeps"] = 0.01234;
  cases[1].facts["between_sweeps"] = 0.1;
  const std::string table = printed("table", cases);
  EXPECT_THAT(table, HasSubstr("        n  between %       mean"));
  EXPECT_THAT(table, HasSubstr("        3       1.23      1.100"));
  EXPECT_THAT(table, HasSubstr("        3      10.00      1.100"));
  EXPECT_THAT(table, HasSubstr("        n       mean")) << "m/y has none";
  EXPECT_THAT(table, HasSubstr("between %: standard deviation between the sweeps"));
  EXPECT_EQ(json::parse(printed("jsonl", {cases[0]}))["facts"]["between_sweeps"], 0.01234);
  for (CaseResult& one : cases) one.facts.clear();
  EXPECT_THAT(printed("table", cases), Not(HasSubstr("between")));
}

TEST(Table, MarksWrongData) {
  CaseResult one = measured("m/x", 8, {10});
  one.verification = {true, 100, 7, "every byte"};
  EXPECT_THAT(printed("table", {one}), HasSubstr("7 of 100 elements are wrong"));
}

TEST(Table, CleansWhatComesFromAFile) {
  CaseResult one = unmeasured("m/\x1b[2Jx", 8, Status::failed, "line\nbreak \x1b]0;title\x07");
  const std::string text = printed("table", {one});
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, HasSubstr("line?break ?]0;title?"));
  EXPECT_THAT(printed("table", {one}, {.color = true}), HasSubstr("\x1b[31mfailed\x1b[0m"));
}

TEST(Csv, IsTidy) {
  std::vector<std::string> lines = text::split(printed("csv", example()), '\n');
  ASSERT_EQ(lines.size(), 8U);
  EXPECT_EQ(lines[0],
            "run,key,name,status,reason,metric,primary,unit,better,median,low,high,n,mean,min,max,"
            "p95,p99,p999,bytes,ranks");
  EXPECT_EQ(lines[1],
            "u-1,micro/allreduce bytes=8 ranks=2,micro/allreduce,ok,,latency,true,s,lower,"
            "1.1e-06,1e-06,1.2e-06,3,1.1e-06,1e-06,1.2e-06,,,,8,2");
  EXPECT_THAT(lines[2], HasSubstr(",bandwidth,false,By/s,higher,"));
  EXPECT_EQ(
      lines[5],
      "u-1,micro/allreduce bytes=4194304 ranks=2,micro/allreduce,oom,needs 12 MiB,,,,,,,,,,,,,,,"
      "4194304,2");
}

TEST(Csv, AnAxisNamedAsAColumnKeepsApart) {
  CaseResult one = unmeasured("m/x", 8, Status::failed, "boom");
  one.params["unit"] = std::string("=a");
  one.key = make_key(one.name, one.params);
  const std::string text = printed("csv", {one, unmeasured("m/y", 4, Status::failed, "boom")});
  EXPECT_THAT(text, HasSubstr(",p999,bytes,ranks,axis_unit\n"));
  EXPECT_THAT(text, HasSubstr(",8,2,'=a\n"));
  EXPECT_THAT(text, HasSubstr(",4,2,\n"));
}

TEST(Csv, EscapesFormulasAndQuotes) {
  for (const char* evil : {"=1+1", "+1", "-1+1", "@SUM(A1)"}) {
    const std::string text = printed("csv", {unmeasured("m/x", 8, Status::failed, evil)});
    EXPECT_THAT(text, HasSubstr(std::string(",'") + evil)) << evil;
  }
  const std::string quoted = printed("csv", {unmeasured("m/x", 8, Status::failed, "=a,\"b\"\nc")});
  EXPECT_THAT(quoted, HasSubstr(",\"'=a,\"\"b\"\"?c\","));
}

void expect_schema(const json& row) {
  for (const char* field : {"key", "name", "status", "reason"})
    EXPECT_TRUE(row.at(field).is_string()) << field;
  EXPECT_TRUE(row.at("params").is_object());
  for (const auto& [name, metric] : row.at("metrics").items()) {
    for (const char* field : {"median", "low", "high"})
      EXPECT_TRUE(metric.at(field).is_number()) << name;
    EXPECT_TRUE(metric.at("unit").is_string());
    EXPECT_THAT(metric.at("better").get<std::string>(), testing::AnyOf("lower", "higher", "none"));
    EXPECT_TRUE(metric.at("n").is_number_unsigned());
  }
}

TEST(JsonLines, IsOneObjectACase) {
  std::vector<std::string> lines = text::split(printed("jsonl", example()), '\n');
  ASSERT_EQ(lines.back(), "");
  lines.pop_back();
  ASSERT_EQ(lines.size(), 4U);
  for (const std::string& line : lines) expect_schema(json::parse(line));
  const json first = json::parse(lines[0]);
  EXPECT_EQ(first.at("key"), "micro/allreduce bytes=8 ranks=2");
  EXPECT_EQ(first.at("params").at("bytes"), 8);
  EXPECT_EQ(first.at("metrics").at("latency").at("n"), 3);
  EXPECT_DOUBLE_EQ(first.at("metrics").at("latency").at("median"), 1.1e-6);
  EXPECT_DOUBLE_EQ(first.at("metrics").at("bandwidth").at("median"), 8 / 1.1e-6);
  EXPECT_EQ(json::parse(lines[3]).at("status"), "skipped");
  EXPECT_EQ(json::parse(lines[3]).at("reason"), "no CUDA device");
}

TEST(JsonLines, HasNullForNoNumberAndTakesAnyBytes) {
  CaseResult one = measured("m/x", 8, {});
  one.reason = "\xff\xfe";
  const json row = json::parse(printed("jsonl", {one}));
  EXPECT_TRUE(row.at("metrics").at("latency").at("median").is_null());
  EXPECT_EQ(row.at("reason"), "??");
}

TEST(Json, IsOneArray) {
  const json rows = json::parse(printed("json", example()));
  ASSERT_EQ(rows.size(), 4U);
  for (const json& row : rows) expect_schema(row);
  EXPECT_EQ(json::parse(printed("json", {})), json::array());
}

TEST(MakePrinter, KnowsItsFormats) {
  EXPECT_THAT(print_formats(), ElementsAre("table", "csv", "json", "jsonl", "osu", "imb", "nccl",
                                           "nvbandwidth", "google-benchmark"));
  std::ostringstream out;
  for (const std::string& format : print_formats())
    EXPECT_NE(make_printer(format, out, {}), nullptr);
  EXPECT_THROW(make_printer("nvbench", out, {}), UsageError);
}

}  // namespace
}  // namespace scalemark
