// SPDX-License-Identifier: Apache-2.0
// The comparison as JSON, CSV, text and Markdown.
#include <cmath>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/compare/print/comparison.hpp"
#include "common/compare/print/flags.hpp"
#include "tests/common/compare/synthetic.hpp"

namespace scalemark::compare {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// One regression, one missing and one failed row, one new row, another kernel.
Comparison example() {
  const auto side = [](const std::string& name, std::uint64_t time,
                       const std::vector<CaseResult>& extra) {
    std::vector<RunDigest> runs;
    for (std::uint64_t r = 0; r < 3; ++r) {
      std::vector<CaseResult> cases = {test::measured("micro/x", 4096, {time + 100 * r})};
      cases.insert(cases.end(), extra.begin(), extra.end());
      RunDigest run = test::digest_of(name + std::to_string(r), cases);
      run.environment["kernel"] = name;
      runs.push_back(run);
    }
    return runs;
  };
  return compare(
      side("a", 1000000,
           {test::measured("=cmd|' /C calc'!A0", 1, {5}), test::measured("micro/f", 1, {5})}),
      side("b", 1200000,
           {test::unmeasured("micro/f", 1, Status::failed, "<b>boom</b> | \"x\", \x1b[31m"),
            test::measured("micro/n", 1, {5})}));
}

std::string printed(const std::string& format, const ComparePrintOptions& options = {}) {
  std::ostringstream out;
  print_comparison(example(), format, out, options);
  return out.str();
}

Comparison with_findings() {
  Comparison comparison = example();
  comparison.shift = {
      .change = 0.018, .low = 0.011, .high = 0.025, .p = 0.001, .rows = 40, .removed = true};
  comparison.geomeans = {
      {.metric = "latency", .unit = "s", .better = Better::lower, .rows = 40, .change = 0.12}};
  comparison.geomeans[0].low = comparison.geomeans[0].high = NAN;
  comparison.findings = {{.kind = "straggler",
                          .side = "B",
                          .subject = "rank 3 on node7",
                          .text = "rank 3 on node7 is 12 % slower, in 40 of 48 cases",
                          .numbers = {{"slower", 0.12}, {"cases", 48}, {"p", NAN}}}};
  comparison.causes = {{.kind = "environment",
                        .fact = "cpu_governor",
                        .a = "performance",
                        .b = "powersave",
                        .fact_class = FactClass::suspect,
                        .separates = true,
                        .rows = 0,
                        .text = "cpu_governor: performance in A, powersave in B",
                        .within = ""}};
  comparison.rows[0].secondary = {{"bandwidth", "By/s", Better::higher, 2e9, 1e9, -0.5}};
  return comparison;
}

TEST(CompareJson, HoldsWhatStandsBesideTheRows) {
  const json document = json::parse(to_json(with_findings()).dump());
  EXPECT_EQ(document.at("shift").at("change"), 0.018);
  EXPECT_EQ(document.at("shift").at("interval"), json::parse("[0.011, 0.025]"));
  EXPECT_EQ(document.at("shift").at("removed"), true);
  EXPECT_EQ(document.at("geomeans").at(0).at("metric"), "latency");
  EXPECT_TRUE(document.at("geomeans").at(0).at("interval").at(0).is_null());
  const json& finding = document.at("findings").at(0);
  EXPECT_EQ(finding.at("subject"), "rank 3 on node7");
  EXPECT_EQ(finding.at("numbers").at("cases"), 48);
  EXPECT_TRUE(finding.at("numbers").at("p").is_null());
  EXPECT_EQ(document.at("causes").at(0).at("fact"), "cpu_governor");
  EXPECT_EQ(document.at("causes").at(0).at("class"), "suspect");
  EXPECT_EQ(document.at("rows").at(0).at("secondary").at(0).at("change"), -0.5);
}

TEST(CompareText, SaysWhatStandsBesideTheRows) {
  for (const char* format : {"text", "md"}) {
    std::ostringstream out;
    print_comparison(with_findings(), format, out);
    EXPECT_THAT(out.str(), HasSubstr("+1.80 %")) << format;
    EXPECT_THAT(out.str(), HasSubstr("+1.10, +2.50")) << format;
    EXPECT_THAT(out.str(), HasSubstr("taken out of the rows")) << format;
    EXPECT_THAT(out.str(), HasSubstr("over 40 rows: +12.0 %")) << format;
    EXPECT_THAT(out.str(), HasSubstr("rank 3 on node7 is 12 % slower")) << format;
    EXPECT_THAT(out.str(), HasSubstr("powersave in B")) << format;
  }
}

// Exactly the flags that occur are explained.
TEST(CompareText, ExplainsItsFlags) {
  Comparison comparison = example();
  for (CompareRow& row : comparison.rows) {
    row.flags.clear();
    row.runs_needed = 12;
  }
  EXPECT_THAT(flag_lines(comparison), ElementsAre());
  comparison.rows[0].flags = {"single_run", "throttled:2"};
  EXPECT_THAT(flag_lines(comparison),
              ElementsAre(StartsWith("single_run: only one run"),
                          StartsWith("throttled: a CPU or a GPU"), "FLAG:n: in n of the runs"));
  comparison.rows[0].runs_needed = 1000;
  EXPECT_THAT(flag_lines(comparison).back(), StartsWith("runs needed >=1000: runs vary too much"));
  for (const char* format : {"text", "md"}) {
    std::ostringstream out;
    print_comparison(comparison, format, out);
    EXPECT_THAT(out.str(), HasSubstr("throttled: a CPU or a GPU")) << format;
  }
}

// A difference of the environment is listed once; as a cause it is only named.
TEST(CompareText, TellsNothingTwice) {
  Comparison comparison = example();
  comparison.environment = {{"kernel", "6.1", "value9", FactClass::suspect},
                            {"os", "11", "value12", FactClass::suspect}};
  comparison.environment_one_side = {{"glibc", "-", "2.36", FactClass::suspect},
                                     {"cpu_boost", "-", "1", FactClass::suspect}};
  LikelyCause kernel, os, load;
  kernel.kind = os.kind = load.kind = "environment";
  kernel.fact = "kernel";
  kernel.text = "kernel (suspect): 6.1 in A, value9 in B";
  kernel.separates = os.separates = true;
  os.fact = "os";
  os.within = "within B alone, the same difference changes the cost by +37.3 %";
  os.text = "os (suspect): 11 in A, value12 in B; " + os.within;
  load.fact = "load_average";
  load.text = "load_average (noise): 0.1 in A, value8 in B";
  comparison.causes = {load, os, kernel};
  for (const char* format : {"text", "md", "junit"}) {
    std::ostringstream out;
    print_comparison(comparison, format, out);
    const std::string text = out.str();
    for (const char* value : {"value8", "value9", "value12", "37.3 %", "glibc"}) {
      std::size_t count = 0;
      for (std::size_t at = text.find(value); at != std::string::npos;
           at = text.find(value, at + 1))
        ++count;
      EXPECT_EQ(count, std::string(value) == "glibc" ? 0U : 1U) << format << " " << value;
    }
    EXPECT_THAT(text, HasSubstr("environment differences that separate A from B: kernel"))
        << format;
    EXPECT_THAT(text, HasSubstr("2 facts are known on one side only")) << format;
  }
  const json document = json::parse(to_json(comparison).dump());
  EXPECT_EQ(document.at("environment").size(), 2U);
  EXPECT_EQ(document.at("environment_one_side").size(), 2U);
  EXPECT_EQ(document.at("environment_one_side").at(0).at("fact"), "glibc");
  EXPECT_EQ(document.at("causes").at(2).at("text"), kernel.text);
}

TEST(CompareJson, FollowsTheSchema) {
  const json document = json::parse(printed("json"));
  EXPECT_EQ(document.at("format"), "scalemark-compare");
  EXPECT_EQ(document.at("version"), 1);
  EXPECT_EQ(document.at("verdict"), "REGRESSION");
  EXPECT_EQ(document.at("counts").at("regression"), 1);
  EXPECT_EQ(document.at("counts").at("failed"), 1);
  const json& row = document.at("rows").at(0);
  EXPECT_EQ(row.at("key"), "micro/x bytes=4096 ranks=2");
  EXPECT_EQ(row.at("metric"), "latency");
  EXPECT_EQ(row.at("unit"), "s");
  EXPECT_NEAR(row.at("a").get<double>(), 1.0001e-3, 1e-9);
  EXPECT_NEAR(row.at("b").get<double>(), 1.2001e-3, 1e-9);
  EXPECT_NEAR(row.at("change").get<double>(), 0.2, 1e-4);
  EXPECT_EQ(row.at("interval").size(), 2U);
  EXPECT_LT(row.at("interval").at(0).get<double>(), row.at("interval").at(1).get<double>());
  EXPECT_LE(row.at("p").get<double>(), row.at("q").get<double>());
  EXPECT_EQ(row.at("verdict"), "REGRESSION");
  EXPECT_TRUE(row.at("runs_needed").is_null());
  EXPECT_TRUE(row.at("flags").is_array());
  EXPECT_EQ(document.at("only_a").size(), 1U);
  EXPECT_EQ(document.at("only_b"), json::array({"micro/n bytes=1 ranks=2"}));
  EXPECT_EQ(document.at("environment").at(0).at("fact"), "kernel");
  EXPECT_EQ(document.at("failed").at(0).at("b"), "failed");
}

TEST(CompareJson, HasNullWhereThereIsNoNumber) {
  const std::vector<RunDigest> a = {test::digest_of("a", {test::measured("m/x", 1, {1000})})},
                               b = {test::digest_of("b", {test::measured("m/x", 1, {1000})})};
  const json document = to_json(compare(a, b));
  const json& row = document.at("rows").at(0);
  EXPECT_TRUE(row.at("p").is_null());
  EXPECT_TRUE(row.at("interval").at(0).is_null());
  EXPECT_TRUE(row.at("runs_needed").is_null());
  EXPECT_EQ(row.at("verdict"), "INCONCLUSIVE");
  EXPECT_TRUE(document.at("detectable").is_null());
}

/// Cells of one line of RFC 4180.
std::vector<std::string> csv_cells(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += line[i++];
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  return cells;
}

TEST(CompareCsv, HasAllRowsAndNoFormulas) {
  std::vector<std::string> lines = text::split(printed("csv"), '\n');
  lines.pop_back();
  ASSERT_EQ(lines.size(), 5U);
  const std::size_t columns = csv_cells(lines[0]).size();
  std::vector<std::string> verdicts;
  for (const std::string& line : lines) {
    const std::vector<std::string> cells = csv_cells(line);
    ASSERT_EQ(cells.size(), columns) << line;
    verdicts.push_back(cells[11]);
    for (const std::string& cell : cells) {
      if (cell.empty()) continue;
      // Only negative numbers may start with a character that looks like a formula.
      const bool number = cell.find_first_not_of("-0123456789.e") == std::string::npos;
      EXPECT_TRUE(number || std::string("=+-@").find(cell[0]) == std::string::npos) << cell;
    }
  }
  EXPECT_THAT(verdicts, testing::ElementsAre("verdict", "REGRESSION", "FAILED", "MISSING", "NEW"));
  EXPECT_THAT(lines[3], HasSubstr("'=cmd"));
}

TEST(CompareText, ShowsTheEnvironmentFirstAndEverythingElse) {
  const std::string text = printed("text");
  EXPECT_LT(text.find("kernel: a -> b"), text.find("REGRESSION: 1 regression"));
  EXPECT_THAT(text, HasSubstr("latency A us"));
  EXPECT_THAT(text, HasSubstr("1000  1200"));
  EXPECT_THAT(text, HasSubstr("+20.0"));
  EXPECT_THAT(text, HasSubstr("micro/f bytes=1 ranks=2: ok -> failed"));
  EXPECT_THAT(text, HasSubstr("missing in B"));
  EXPECT_THAT(text, HasSubstr("new in B:\n  micro/n bytes=1 ranks=2"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(printed("text", {.color = true}), HasSubstr("\x1b[31mREGRESSION"));
}

TEST(CompareMarkdown, LeavesNoMarkupOfTheFile) {
  const std::string text = printed("md");
  EXPECT_THAT(text, HasSubstr("### REGRESSION"));
  EXPECT_THAT(text, HasSubstr("| REGRESSION | micro/x bytes=4096 ranks=2 |"));
  EXPECT_THAT(text, HasSubstr("&#60;b&#62;boom&#60;/b&#62; \\|"));
  EXPECT_THAT(text, Not(HasSubstr("<b>")));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(ComparePrint, KnowsItsFormats) {
  for (const std::string& format : compare_formats())
    EXPECT_FALSE(printed(format).empty()) << format;
  EXPECT_THROW(printed("html"), UsageError);
}

}  // namespace
}  // namespace scalemark::compare
