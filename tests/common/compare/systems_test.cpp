// SPDX-License-Identifier: Apache-2.0
// Several systems in one table: ratios, intervals and ranks.
#include "common/compare/systems.hpp"

#include <cmath>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/compare/print/systems.hpp"
#include "tests/common/compare/synthetic.hpp"

namespace scalemark::compare {
namespace {

using testing::HasSubstr;

/// Runs (four by default) of one case whose time in ns grows by 1 us from run to run.
SystemRuns system_of(const std::string& name, std::uint64_t time, std::size_t runs = 4,
                     const std::string& benchmark = "micro/x") {
  SystemRuns made{name, {}, {}};
  for (std::size_t r = 0; r < runs; ++r) {
    made.runs.push_back(test::digest_of(name + std::to_string(r),
                                        {test::measured(benchmark, 8, {time + 1000 * r})}));
  }
  return made;
}

std::vector<std::string> ranks(const SystemTable& table) {
  std::vector<std::string> texts;
  for (const SystemCell& cell : table.rows.at(0).cells)
    texts.push_back(std::to_string(cell.rank) + (cell.tied ? "=" : ""));
  return texts;
}

TEST(Systems, RanksOnlyWhatCanBeToldApart) {
  const SystemTable table = system_table(std::vector<SystemRuns>{
      system_of("a", 2000000), system_of("b", 1000000), system_of("c", 2000400)});
  EXPECT_THAT(ranks(table), testing::ElementsAre("2=", "1", "2="));
  const std::vector<SystemCell>& cells = table.rows[0].cells;
  EXPECT_EQ(cells[0].ratio, 1);
  EXPECT_NEAR(cells[1].ratio, 0.5, 0.001);
  EXPECT_LT(cells[1].low, 0.5);
  EXPECT_GT(cells[1].high, 0.5);
  EXPECT_LT(cells[2].low, 1);
  EXPECT_GT(cells[2].high, 1);
  EXPECT_NEAR(cells[1].value, 1.0015e-3, 1e-8);
}

TEST(Systems, AHigherRateRanksBetter) {
  std::vector<SystemRuns> systems = {system_of("a", 2000000), system_of("b", 1000000)};
  for (SystemRuns& system : systems) {
    for (RunDigest& run : system.runs) {
      for (auto& [key, row] : run.rows) row.better = Better::higher;
    }
  }
  EXPECT_THAT(ranks(system_table(systems)), testing::ElementsAre("1", "2"));
}

TEST(Systems, TheOrderChangesNoRank) {
  const SystemRuns a = system_of("a", 2000000), b = system_of("b", 1000000),
                   c = system_of("c", 3000000);
  const SystemTable forth = system_table(std::vector<SystemRuns>{a, b, c}),
                    back = system_table(std::vector<SystemRuns>{c, b, a});
  EXPECT_THAT(ranks(forth), testing::ElementsAre("2", "1", "3"));
  EXPECT_THAT(ranks(back), testing::ElementsAre("3", "1", "2"));
  EXPECT_NEAR(forth.rows[0].cells[2].ratio * back.rows[0].cells[2].ratio, 1, 1e-12);
  EXPECT_NEAR(forth.rows[0].cells[2].low * back.rows[0].cells[2].high, 1, 1e-12);
}

TEST(Systems, OneRunHasARatioAndNoRank) {
  const SystemTable table =
      system_table(std::vector<SystemRuns>{system_of("a", 2000000, 1), system_of("b", 1000000, 1)});
  EXPECT_THAT(ranks(table), testing::ElementsAre("0", "0"));
  EXPECT_NEAR(table.rows[0].cells[1].ratio, 0.5, 1e-12);
  EXPECT_TRUE(std::isnan(table.rows[0].cells[1].low));
  EXPECT_EQ(table.notes.size(), 2U);
}

TEST(Systems, ShowsWhatDoesNotMatch) {
  std::vector<SystemRuns> systems = {system_of("a", 2000000), system_of("b", 1000000),
                                     system_of("c", 1000000, 4, "micro/y")};
  const SystemTable table = system_table(systems);
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0].cells[2].runs, 0);
  EXPECT_TRUE(std::isnan(table.rows[0].cells[2].value));
  EXPECT_EQ(table.rows[0].cells[2].rank, 0);
  ASSERT_EQ(table.unmatched.size(), 1U);
  EXPECT_EQ(table.unmatched[0].key, "micro/y bytes=8 ranks=2");
  EXPECT_THAT(table.unmatched[0].systems, testing::ElementsAre("c"));
}

TEST(Systems, TakesPeaksFromMetricOrFact) {
  CaseResult metric = test::measured("micro/m", 8, {1000});
  Metric fraction = test::duration("peak_fraction", {});
  fraction.unit = std::string("1");
  fraction.kind = MetricKind::ratio;
  fraction.samples.iterations = 3;
  fraction.samples.values = std::vector<double>{0.5, 0.7, 0.6};
  fraction.samples.scale = 1;
  metric.metrics.push_back(fraction);
  CaseResult fact = test::measured("micro/f", 8, {1000});
  fact.facts["peak_fraction"] = 0.25;
  std::map<std::string, double> peaks;
  for (const CaseResult& one : {metric, fact, test::measured("micro/n", 8, {1000})})
    add_peak_fraction(one, peaks);
  EXPECT_EQ(peaks.size(), 2U);
  EXPECT_NEAR(peaks.at("micro/m bytes=8 ranks=2"), 0.6, 1e-12);
  EXPECT_EQ(peaks.at("micro/f bytes=8 ranks=2"), 0.25);
  SystemRuns a = system_of("a", 1000, 2, "micro/m"), b = system_of("b", 1100, 2, "micro/m");
  a.peaks = {peaks, peaks};
  const SystemTable table = system_table(std::vector<SystemRuns>{a, b});
  EXPECT_TRUE(table.has_peaks);
  EXPECT_NEAR(table.rows[0].cells[0].peak_fraction, 0.6, 1e-12);
  EXPECT_TRUE(std::isnan(table.rows[0].cells[1].peak_fraction));
}

TEST(Systems, RefusesOneSystemAndARunInTwo) {
  const SystemRuns a = system_of("a", 1000);
  EXPECT_THROW(system_table(std::vector<SystemRuns>{a}), UsageError);
  EXPECT_THROW(system_table(std::vector<SystemRuns>{a, a}), UsageError);
  EXPECT_THROW(system_table(std::vector<SystemRuns>{a, {"b", {}, {}}}), UsageError);
}

// Cases with the same outcome share one line, with the reason per system.
TEST(SystemsPrint, FoldsWhatDoesNotMatch) {
  std::vector<SystemRuns> systems = {system_of("a", 2000000), system_of("b", 1000000)};
  for (const char* key : {"micro/gpu bytes=1", "micro/gpu bytes=2", "micro/gpu bytes=4"}) {
    RowDigest skipped;
    skipped.status = Status::skipped;
    skipped.reason = "no GPU";
    for (SystemRuns& system : systems) {
      for (RunDigest& run : system.runs) {
        run.rows[key] = skipped;
        run.keys.emplace_back(key);
      }
    }
  }
  const SystemTable table = system_table(systems);
  ASSERT_EQ(table.unmatched.size(), 3U);
  std::ostringstream out;
  print_systems(table, "text", out);
  EXPECT_THAT(
      out.str(),
      HasSubstr("\non fewer than two systems:\n  micro/gpu bytes=1 and 2 more: on no system; "
                "a: skipped, no GPU; b: skipped, no GPU\n"));
}

TEST(SystemsPrint, HasAllFormats) {
  const SystemTable table = system_table(std::vector<SystemRuns>{
      system_of("old|er", 2000000), system_of("=new", 1000000), system_of("c", 5, 1, "micro/y")});
  const auto printed = [&](const char* format) {
    std::ostringstream out;
    print_systems(table, format, out);
    return out.str();
  };
  EXPECT_THAT(printed("text"), HasSubstr("0.500 [0.499, 0.50"));
  EXPECT_THAT(printed("text"), HasSubstr("micro/y bytes=8 ranks=2: on c only\n"));
  EXPECT_THAT(printed("md"), HasSubstr("| case | latency us | old\\|er | rank |"));
  const std::vector<std::string> lines = text::split(printed("csv"), '\n');
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_THAT(lines[2], HasSubstr(",'=new,"));
  const nlohmann::json document = nlohmann::json::parse(printed("json"));
  EXPECT_EQ(document.at("format"), "scalemark-systems");
  EXPECT_EQ(document.at("version"), 1);
  EXPECT_EQ(document.at("systems").at(0).at("name"), "old|er");
  EXPECT_EQ(document.at("rows").at(0).at("cells").at(1).at("rank"), 1);
  EXPECT_TRUE(document.at("rows").at(0).at("cells").at(2).at("rank").is_null());
  EXPECT_EQ(document.at("unmatched").at(0).at("key"), "micro/y bytes=8 ranks=2");
  EXPECT_THROW(printed("junit"), UsageError);
}

// The same case on 2 and on 4 ranks, with the fraction of each system's own peak.
TEST(Systems, AreMatchedByMaps) {
  std::vector<SystemRuns> systems = {system_of("a", 2000000), system_of("b", 1000000)};
  for (RunDigest& run : systems[1].runs) {
    run.keys = {"micro/x bytes=8 ranks=4"};
    auto row = run.rows.extract(run.rows.begin());
    row.key() = run.keys[0];
    run.rows.insert(std::move(row));
  }
  for (SystemRuns& system : systems) {
    for (const RunDigest& run : system.runs) system.peaks.push_back({{run.keys[0], 0.25}});
  }
  EXPECT_TRUE(system_table(systems).rows.empty());
  for (const auto& [map, key] : {std::pair("ranks=*", "micro/x bytes=8 ranks=*"),
                                 std::pair("ranks=drop", "micro/x bytes=8")}) {
    CompareOptions options;
    options.maps = {parse_axis_map(map)};
    const SystemTable table = system_table(systems, options);
    ASSERT_EQ(table.rows.size(), 1U) << map;
    EXPECT_EQ(table.rows[0].key, key);
    EXPECT_NEAR(table.rows[0].cells[1].ratio, 0.5, 0.001);
    EXPECT_EQ(table.rows[0].cells[1].peak_fraction, 0.25);
    EXPECT_THAT(ranks(table), testing::ElementsAre("2", "1"));
  }
  CompareOptions options;
  options.maps = {parse_axis_map("ranks=2->4")};
  try {
    system_table(systems, options);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("\"ranks=2->4\"; with --systems"));
  }
}

}  // namespace
}  // namespace scalemark::compare
