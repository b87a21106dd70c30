// SPDX-License-Identifier: Apache-2.0
// Whole pages: sections, size, and content that is hostile in every place that a file fills.
#include "common/html/page.hpp"

#include <limits>
#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.hpp"
#include "common/html/drawing/change_chart.hpp"
#include "common/html/headlines.hpp"
#include "common/html/verdict.hpp"
#include "common/result/places.hpp"
#include "tests/common/compare/synthetic.hpp"
#include "tests/common/html/extract_run.hpp"

namespace scalemark::html {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::vector<std::uint64_t> times(std::size_t count, std::uint64_t first) {
  std::vector<std::uint64_t> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(first + 7 * i);
  return values;
}

TEST(Page, SaysNothingOfRanksThatNobodyKnows) {
  auto run = test::run_of("a", {test::measured("micro/a", 8, times(9, 1000))});
  const std::string known = report_page(std::vector<RunExtract>{extract(run)});
  EXPECT_THAT(known, HasSubstr(run.ranks.size() == 1 ? ">1 rank<" : " ranks<"));
  run.ranks.clear();
  EXPECT_THAT(report_page(std::vector<RunExtract>{extract(run)}),
              AllOf(Not(HasSubstr("0 ranks")), Not(HasSubstr("0 nodes"))));
}

TEST(Page, ShowsWhereAResumedRunWentOn) {
  auto run = test::run_of("a", {test::measured("micro/a", 8, times(9, 1000)),
                                test::measured("micro/a", 16, times(9, 1000)),
                                test::measured("micro/a", 32, times(9, 1000))});
  std::vector<RankInfo> moved = run.ranks;
  for (RankInfo& rank : moved) rank.node = "node9";
  moved[1].numa = 3;
  for (const std::size_t i : {1U, 2U}) run.cases[i].tables[kPlacesTable] = places_table(moved);
  const RunExtract extracted = extract(run);
  EXPECT_EQ(placement_of(extracted.cases[0], extracted)[1].node, "node1");
  EXPECT_EQ(placement_of(extracted.cases[2], extracted)[1].node, "node9");
  const std::string page = report_page(std::vector<RunExtract>{extracted});
  EXPECT_THAT(page, AllOf(HasSubstr("<figcaption>node1<span class=\"sub\">a "),
                          HasSubstr("<figcaption>node9<span class=\"sub\">a, 2 cases after "
                                    "--resume "),
                          HasSubstr("a, 2 cases after --resume: 2 of 2 ranks"),
                          HasSubstr("NUMA node 3"), HasSubstr("node1, node9")));
}

TEST(Page, DrawsWhenEachRankTrained) {
  CaseResult one = test::measured("imaging/train", 8, times(9, 1000));
  constexpr std::uint64_t kSecond = 1'000'000'000;
  using Counts = std::vector<std::uint64_t>;
  one.tables["timeline"] = {
      {{"rank", "", Counts{0, 0, 0, 1, 1}},
       {"what", "",
        std::vector<std::string>{"epoch_start_pause", "epoch", "step", "epoch", "test<b>"}},
       {"index", "", Counts{1, 1, 77, 1, 1}},
       {"t", "ns", Counts{5 * kSecond, 5 * kSecond, 5 * kSecond, 6 * kSecond, 9 * kSecond}},
       {"duration", "ns", Counts{kSecond / 2, 3 * kSecond, kSecond, 2 * kSecond, kSecond}}}};
  const std::string page =
      report_page(std::vector<RunExtract>{extract(test::run_of("a", {std::move(one)}))});
  EXPECT_THAT(page,
              AllOf(HasSubstr("When the ranks trained"),
                    HasSubstr("rank 0: pause before epoch 1, 500.0 ms"),
                    HasSubstr("rank 1: epoch 1, 2.000 s"),
                    HasSubstr("rank 1: test&#60;b&#62; 1, 1.000 s"), Not(HasSubstr("step 77"))));
}

TEST(Page, StaysBelowTwoMegabytesForTwoThousandRows) {
  std::vector<CaseResult> cases;
  for (int benchmark = 0; benchmark < 20; ++benchmark) {
    for (int variant = 0; variant < 5; ++variant) {
      for (std::uint64_t size = 0; size < 20; ++size) {
        CaseResult one = test::measured("micro/benchmark_" + std::to_string(benchmark),
                                        std::int64_t{1} << size, times(40, 1000 + 100 * size));
        one.params["variant"] = std::string("a_longer_value_") + std::to_string(variant);
        one.key = make_key(one.name, one.params);
        cases.push_back(std::move(one));
      }
    }
  }
  const std::vector<RunExtract> runs = {extract(test::run_of("a", cases)),
                                        extract(test::run_of("b", cases)),
                                        extract(test::run_of("c", cases))};
  const std::string page = report_page(runs);
  EXPECT_LT(page.size(), 2'000'000U);
  EXPECT_THAT(page, HasSubstr("2000 cases measured"));
  // Every row is there.
  EXPECT_THAT(page, Not(HasSubstr("more rows are not on this page")));
  EXPECT_THAT(page, HasSubstr("Rows as JSON"));
}

TEST(Page, StaysBelowTwoMegabytesWhateverTheRows) {
  std::vector<CaseResult> cases;
  for (int i = 0; i < 9000; ++i) {
    CaseResult one = test::measured("micro/b" + std::to_string(i % 700), i + 1, times(9, 1000));
    one.params["text"] = std::string(300, 'x') + std::to_string(i);
    one.key = make_key(one.name, one.params);
    one.status = i % 3 == 0 ? Status::failed : Status::ok;
    one.reason = std::string(5000, '<');
    cases.push_back(std::move(one));
  }
  const std::vector<RunExtract> runs = {extract(test::run_of("a", cases))};
  const std::string page = report_page(runs);
  EXPECT_LT(page.size(), 2'000'000U);
  EXPECT_THAT(page, HasSubstr("more rows are not on this page"));
}

TEST(Page, TellsWhatFailedAndWhatWasSkipped) {
  const std::vector<RunExtract> runs = {extract(
      test::run_of("a", {test::measured("micro/a", 8, times(10, 1000)),
                         test::unmeasured("micro/b", 8, Status::timeout, "no progress for 300 s"),
                         test::unmeasured("micro/c", 8, Status::skipped, "built without CUDA")}))};
  const std::string page = report_page(runs);
  EXPECT_THAT(page, HasSubstr("<b>FAILURES</b>1 case measured, 1 timed out, 1 skipped"));
  EXPECT_THAT(page, HasSubstr("no progress for 300 s"));
  EXPECT_THAT(page, HasSubstr("Skipped: built without CUDA (1 case)"));
}

TEST(Page, BeginsWithTheVerdictOfAComparison) {
  const auto side = [](const std::string& name, std::uint64_t time) {
    std::vector<compare::RunDigest> runs;
    for (std::uint64_t i = 0; i < 3; ++i)
      runs.push_back(
          test::digest_of(name + std::to_string(i), {test::measured("micro/a", 8, {time + i})}));
    return runs;
  };
  const compare::Comparison comparison = compare::compare(side("a", 100000), side("b", 130000));
  ASSERT_EQ(comparison.verdict(), "REGRESSION");
  const std::string page = comparison_page(comparison);
  EXPECT_THAT(page, HasSubstr("<div class=\"verdict bad\"><b>REGRESSION</b>B against A: "));
  EXPECT_THAT(page, HasSubstr("slower in the only case: a +30 %."));
  EXPECT_THAT(page, HasSubstr("1 regression, 0 improved"));
  // What decides stands first.
  EXPECT_THAT(page, HasSubstr("<td class=\"bad\" data-h=\"verdict\">REGRESSION</td><td class=\"n\" "
                              "data-h=\"change %\">+30.0</td>"));
  EXPECT_THAT(page, HasSubstr("data-h=\"case\">micro/a 8 B ranks=2</td>"));
  EXPECT_LT(page.find("REGRESSION"), page.find("Are these runs comparable?"));
}

TEST(Page, TellsDifferencesOfEnvironmentAndNothingElse) {
  scalemark::Run one = test::run_of("a", {test::measured("micro/a", 8, times(10, 1000))}),
                 other = one;
  other.uuid = "b";
  one.environment.common = {{"kernel", "6.1"}, {"cpu_boost", "unavailable: boost"}, {"turns", "1"}};
  other.environment.common = {
      {"kernel", "6.2"}, {"cpu_boost", "unavailable: no folder"}, {"glibc", "2.36"}};
  const std::vector<RunExtract> runs = {extract(one), extract(other)};
  const std::string both = report_page(runs);
  const std::size_t from = both.find("Facts that differ between the runs</caption>");
  ASSERT_NE(from, std::string::npos);
  const std::string differing = both.substr(from, both.find("</table>", from) - from);
  EXPECT_THAT(differing, HasSubstr("kernel"));
  EXPECT_THAT(differing, Not(HasSubstr("cpu_boost")));
  const std::vector<compare::RunDigest> a = {compare::digest(one, "a")},
                                        b = {compare::digest(other, "b")};
  const std::string compared = comparison_page(compare::compare(a, b));
  EXPECT_THAT(compared, HasSubstr("<td>kernel</td><td>6.1</td><td>6.2</td>"));
  EXPECT_THAT(compared,
              HasSubstr("2 facts are known on one side only: not counted as a difference"));
}

/// A comparison of one row of `metric`.
compare::Comparison one_row(Better better, double change, double low, double high) {
  compare::Comparison comparison;
  compare::CompareRow row;
  row.key = "micro/a bytes=67108864 ranks=2";
  row.metric = "time";
  row.unit = "s";
  row.better = better;
  row.change = change;
  row.low = low;
  row.high = high;
  comparison.rows = {row};
  return comparison;
}

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Where the point of the only row of a comparison is drawn, in percent of the width.
double place_of(Better better, double change) {
  const std::string html = change_chart(one_row(better, change, kNone, kNone));
  std::smatch found;
  EXPECT_TRUE(std::regex_search(html, found, std::regex("class=\"fm\" style=\"left:([0-9.]+)%")));
  return std::stod(found[1]);
}

TEST(ChangeChart, PutsWorseToTheRight) {
  // Twice the time costs as much as half the rate, and less time is better.
  EXPECT_GT(place_of(Better::lower, 1.0), 60);
  EXPECT_NEAR(place_of(Better::lower, 1.0), place_of(Better::higher, -0.5), 0.11);
  EXPECT_NEAR(place_of(Better::lower, 0), 50, 0.11);
  EXPECT_NEAR(place_of(Better::lower, -0.5) + place_of(Better::lower, 1.0), 100, 0.11);
  EXPECT_EQ(change_chart(compare::Comparison{}), "");
}

TEST(ChangeChart, SaysWhatItsAxisIs) {
  const std::string chart = change_chart(one_row(Better::lower, 1.0, 0.9, 1.1));
  EXPECT_THAT(chart, AllOf(HasSubstr("cost of B against A [%]"), HasSubstr("B slower \u2192"),
                           HasSubstr("\u2190 B faster"), HasSubstr(">+100<"), HasSubstr(">0<")));
  EXPECT_THAT(chart, HasSubstr("64 MiB ranks=2"));
  EXPECT_THAT(chart, HasSubstr("+100 [+90, +110]"));
}

TEST(ChangeChart, MarksIntervalsThatGoOnWithAnArrow) {
  // One row is known well, the other lies anywhere.
  compare::Comparison comparison = one_row(Better::lower, 0.5, 0.45, 0.55);
  EXPECT_THAT(change_chart(comparison), Not(HasSubstr("fa far")));
  for (int i = 0; i < 3; ++i) comparison.rows.push_back(comparison.rows.front());
  comparison.rows.back().low = -0.99;
  comparison.rows.back().high = 90;
  const std::string chart = change_chart(comparison);
  EXPECT_THAT(chart, AllOf(HasSubstr("fa far"), HasSubstr("fa fal")));
}

TEST(Page, NamesBothSidesInItsVerdict) {
  compare::Comparison comparison = one_row(Better::lower, 3.27, 3.2, 3.3);
  comparison.rows[0].verdict = compare::Verdict::regression;
  const SideNames names = {"A (quiet, 2026-11-22)", "B (busy, 2026-11-22)"};
  EXPECT_THAT(verdict_sentence(comparison, names),
              AllOf(StartsWith("B (busy, 2026-11-22) against A (quiet, 2026-11-22): "),
                    HasSubstr("slower in the only case"), EndsWith("+327 %.")));
  comparison.rows[0].verdict = compare::Verdict::same;
  EXPECT_THAT(verdict_sentence(comparison, names), EndsWith("within 1 %."));
  comparison.only_a = {"micro/b"};
  EXPECT_THAT(verdict_sentence(comparison, names), HasSubstr("1 case missing in B: b"));
}

TEST(Page, SaysOnTheFirstScreenWhatItWasMeasuredOn) {
  auto run = test::run_of("a", {test::measured("micro/a", 8, times(9, 1000))});
  run.environment.common["cpu_model"] = "AMD EPYC";
  run.environment.common["cpu_count"] = "2";
  run.environment.common["memory_total"] = "24684092 kB";
  run.environment.common["mpi_library"] = "Open MPI v4.1.4";
  run.environment.common["nic.mlx5_0"] = "MT4129, InfiniBand, 400 Gb/sec (4X NDR), 4: ACTIVE";
  run.environment.common["nic.mlx5_1"] = "MT4129, InfiniBand, 400 Gb/sec (4X NDR), 4: ACTIVE";
  run.environment.common["nic.eth0"] = "-1 Mb/s, MTU 1400, up";
  const std::string page = report_page(std::vector<RunExtract>{extract(run)});
  const std::string first = page.substr(0, page.find("<nav"));
  for (const char* text : {"AMD EPYC, 2 logical CPUs", "23.5 GiB", "Open MPI v4.1.4",
                           "mlx5_0, mlx5_1 (400 Gb/sec (4X NDR)); eth0 (speed unknown)",
                           ">GPU</th><td "
                           "colspan=\"1\">none"})
    EXPECT_THAT(first, HasSubstr(text));
  EXPECT_THAT(first, Not(HasSubstr("COMPLETE")));
}

TEST(Headlines, AreTheLargestBandwidthAndTheLeastLatency) {
  std::vector<CaseResult> cases;
  for (const std::uint64_t bytes : {8U, 1024U, 65536U}) {
    cases.push_back(test::measured("micro/pingpong", static_cast<std::int64_t>(bytes),
                                   times(9, 200 + bytes / 16)));
    // In a cache small copies are faster than memory is.
    cases.push_back(test::measured("micro/memcpy", static_cast<std::int64_t>(bytes),
                                   times(9, bytes == 65536 ? 90000 : 100)));
  }
  const std::vector<RunExtract> runs = {extract(test::run_of("a", cases))};
  const std::vector<Row> rows = join_rows(runs);
  const std::vector<Headline> found = headlines(rows);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].title, "Ping-pong bandwidth");
  EXPECT_EQ(axis_of(*found[0].row, "bytes"), "65536");
  EXPECT_THAT(found[0].extra, HasSubstr(" at 8 B"));
  EXPECT_EQ(found[1].title, "Memory copy");
  EXPECT_EQ(axis_of(*found[1].row, "bytes"), "65536");
  // With few benchmarks a second number of one fills the screen.
  EXPECT_EQ(found[2].title, "memcpy, least latency");
  EXPECT_THAT(headline_tiles(found), HasSubstr("64 KiB"));
}

TEST(Page, DrawsBothLayoutsBesideEachOther) {
  const auto conv = [](const char* layout, std::uint64_t time) {
    CaseResult one = test::measured("micro/conv2d", 8, times(9, time));
    one.params["layout"] = std::string(layout);
    one.key = make_key(one.name, one.params);
    return one;
  };
  const std::string both = report_page(std::vector<RunExtract>{
      extract(test::run_of("a", {conv("nchw", 2'000'000), conv("nhwc", 1'000'000)}))});
  EXPECT_THAT(both, AllOf(HasSubstr("NHWC against NCHW"), HasSubstr("NHWC is 2.00 times as fast")));
  const std::string one =
      report_page(std::vector<RunExtract>{extract(test::run_of("a", {conv("nchw", 2'000'000)}))});
  EXPECT_THAT(one, Not(HasSubstr("NHWC against NCHW")));
}

TEST(Page, TakesHostileTextsAsTexts) {
  const std::vector<std::string> texts = {"<script>alert(1)</script>",
                                          "\"'><img src=x onerror=alert(1)>",
                                          "]]></svg><script>",
                                          "</textarea></style></title><script>",
                                          "\x1b[2J\x07",
                                          "\xff\xc0\xaf",
                                          std::string(100000, '&')};
  for (const std::string& bad : texts) {
    CaseResult ok = test::measured("micro/" + bad, 8, times(10, 1000));
    ok.params[bad] = bad;
    ok.key = make_key(ok.name, ok.params);
    for (Metric& metric : ok.metrics) metric.unit = bad;
    ok.metrics[0].name = bad;
    ok.metrics[1].source = bad;
    ok.primary_metric = bad;
    scalemark::Run run = test::run_of(bad, {ok, test::unmeasured(bad, 8, Status::failed, bad),
                                            test::unmeasured(bad, 16, Status::skipped, bad)});
    run.created = run.command_line = run.exit_reason = bad;
    run.environment.common[bad] = bad;
    run.environment.differs[bad][bad] = bad;
    run.ranks[0] = RankInfo{0, bad, 0, bad, 0, bad, bad, bad, bad, bad};
    const std::vector<RunExtract> runs = {extract(run)};
    const compare::RunDigest a = compare::digest(run, bad);
    compare::RunDigest b = a;
    b.uuid = "other";
    b.environment["cpu_model"] = text::printable(bad);
    const std::vector<compare::RunDigest> side_a = {a}, side_b = {b};
    const compare::Comparison comparison = compare::compare(side_a, side_b);
    const std::string page = report_page(runs, runs, &comparison);
    for (const char* tag : {"<script", "<img", "\x1b", "\x07", "\xff", "\xc0"})
      EXPECT_THAT(page, Not(HasSubstr(tag))) << bad;
    EXPECT_LT(page.size(), 500'000U);
    // Names of systems and keys are cleaned where they are read.
    const std::string clean = text::printable(bad, 600);
    const std::vector<compare::SystemRuns> systems = {{clean, {a}, {{}}}, {"other", {b}, {{}}}};
    const std::vector<SystemExtracts> extracts = {{clean, runs}, {"other", runs}};
    const std::string side_by_side = systems_page(compare::system_table(systems), extracts);
    compare::SelfTest noise;
    noise.rows.push_back({clean, clean, 3, 1, 1, 0.5, 0.1, 0.2});
    noise.failed = noise.incomplete = noise.notes = {clean};
    for (const std::string& other : {side_by_side, self_test_page(noise, runs)}) {
      for (const char* tag : {"<script", "<img", "\x1b", "\x07", "\xff", "\xc0"})
        EXPECT_THAT(other, Not(HasSubstr(tag))) << bad;
    }
  }
}

}  // namespace
}  // namespace scalemark::html
