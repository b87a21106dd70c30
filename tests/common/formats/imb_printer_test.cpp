// SPDX-License-Identifier: Apache-2.0
// The text of the Intel MPI Benchmarks: columns of tests/golden/imb, numbers worked out by hand.
#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>

#include <gtest/gtest.h>

#include "common/base/text.hpp"
#include "common/formats/imb/imb_tests.hpp"
#include "common/formats/make_printer.hpp"
#include "common/print/printer.hpp"
#include "tests/common/formats/communication.hpp"

namespace scalemark {
namespace {

/// The lines behind the title. Keys are made here: cases get their parameters one after the other.
std::vector<std::string> imb_lines(std::vector<CaseResult> cases,
                                   const PrintOptions& options = {}) {
  for (CaseResult& one : cases) one.key = make_key(one.name, one.params);
  std::ostringstream out;
  const auto printer = make_printer("imb", out, options);
  const scalemark::Run run = test::run_of("u", cases);
  printer->begin(run);
  for (const CaseResult& one : cases) printer->add(one);
  printer->end(run);
  std::vector<std::string> lines = text::split(out.str(), '\n');
  lines.pop_back();
  lines.erase(lines.begin(), lines.begin() + 6);
  return lines;
}

std::vector<std::string> rows_of(const std::vector<std::string>& lines) {
  std::vector<std::string> rows;
  for (const std::string& line : lines) {
    const std::size_t first = line.find_first_not_of(' ');
    if (first != std::string::npos && line[first] != '#') rows.push_back(line);
  }
  return rows;
}

bool has_line_of_imb(const std::string& wanted,
                     const std::string& name = "pingpong_allreduce_barrier") {
  std::ifstream file(std::string(SCALEMARK_SOURCE_DIR) + "/tests/golden/imb/" + name + ".txt");
  for (std::string line; std::getline(file, line);) {
    if (line == wanted) return true;
  }
  return false;
}

// Rank means 2 us and 4 us.
CaseResult uneven(const std::string& name, std::int64_t bytes, const Point& more = {}) {
  return test::collective(name, bytes, {{1000, 3000}, {2000, 6000}}, more);
}

TEST(ImbPrinter, PrintsTheColumnsOfImb) {
  CaseResult barrier = uneven("micro/barrier", 0);
  barrier.params.erase("bytes");
  const std::vector<std::string> lines =
      imb_lines({test::pingpong(1000, 500), uneven("micro/allreduce", 8), barrier,
                 uneven("micro/sendrecv", 1000)});
  const std::vector<std::string> want = {
      "       #bytes #repetitions      t[usec]   Mbytes/sec",
      "         1000            1         0.50      2000.00",
      "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]",
      "            8            2         2.00         4.00         3.00",
      " #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]",
      "            2         2.00         4.00         3.00",
      "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]   Mbytes/sec",
      // Both directions in the time of the slower rank.
      "         1000            2         2.00         4.00         3.00       500.00"};
  std::vector<std::string> got;
  for (const std::string& line : lines) {
    if (line.starts_with(' ')) got.push_back(line);
  }
  EXPECT_EQ(got, want);
  for (std::size_t i = 0; i < 6; i += 2) EXPECT_TRUE(has_line_of_imb(want[i])) << want[i];
  EXPECT_NE(std::find(lines.begin(), lines.end(), "# Benchmarking PingPong"), lines.end());
  EXPECT_NE(std::find(lines.begin(), lines.end(), "# #processes = 2"), lines.end());
}

// A sample of a short operation is the total of several.
TEST(ImbPrinter, CountsOperationsNotSamples) {
  CaseResult batched = test::pingpong(1000, 500);
  Samples& samples = batched.metrics.front().samples;
  samples.inner = 40;
  samples.iterations = 3;
  samples.values = std::vector<std::uint64_t>{80'000, 40'000, 40'000};
  samples.ranks = 1;
  samples.warmup = {1, 0, 0};
  EXPECT_EQ(rows_of(imb_lines({batched})),
            std::vector<std::string>{"         1000           80         0.50      2000.00"});
}

TEST(ImbPrinter, KeepsTablesTogetherThatComeInTurns) {
  const Point in_place = {{"in_place", true}};
  const std::vector<std::string> rows =
      rows_of(imb_lines({uneven("micro/allgather", 8), uneven("micro/allgather", 8, in_place),
                         uneven("micro/allgather", 16), uneven("micro/allgather", 16, in_place)}));
  ASSERT_EQ(rows.size(), 4U);
  for (const std::size_t i : {0U, 1U, 2U, 3U})
    EXPECT_TRUE(rows[i].starts_with(i % 2 == 0 ? "            8 " : "           16 ")) << rows[i];
}

TEST(ImbPrinter, KeepsNumbersApart) {
  for (const std::string& row :
       rows_of(imb_lines({uneven("micro/allreduce", 8)}, {.decimals = 12}))) {
    std::istringstream words(row);
    std::vector<std::string> cells;
    for (std::string word; words >> word;) cells.push_back(word);
    EXPECT_EQ(cells, (std::vector<std::string>{"8", "2", "2.000000000000", "4.000000000000",
                                               "3.000000000000"}));
  }
}

TEST(ImbPrinter, SaysWhatItCannotPrint) {
  const auto reason = [](const CaseResult& one) {
    const std::vector<std::string> lines = imb_lines({one});
    EXPECT_TRUE(rows_of(lines).empty());
    const std::string& line = lines.at(0);
    EXPECT_TRUE(line.starts_with("# not in this format: micro/")) << line;
    return line.substr(line.rfind(": ") + 2);
  };
  CaseResult huge = uneven("micro/mpi_io", std::int64_t{1} << 62);
  huge.params.erase("backend");
  huge.params["collective_io"] = false;
  huge.params["operation"] = std::string("read");
  huge.params["sync"] = false;
  huge.params["ranks"] = std::int64_t{4};
  EXPECT_EQ(reason(huge), "ok, its size is too large");
  CaseResult alone = uneven("micro/allreduce", 8), no_size = alone, never = alone, broken = alone;
  alone.metrics = {test::duration("latency", {1000})};  // as an import of OSU's text has it
  no_size.params.erase("bytes");
  never.metrics[0].samples.values = std::vector<std::uint64_t>{};
  never.metrics[0].samples.iterations = 0;
  broken.metrics[0].samples.values =
      std::vector<double>(4, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(reason(uneven("micro/allreduce", 8, {{"backend", std::string("nccl")}})), "ok");
  EXPECT_EQ(reason(uneven("micro/allreduce", 8, {{"call", std::string("persistent")}})),
            "ok, IMB has no persistent call of it");
  EXPECT_EQ(reason(test::pingpong(8, 1000, 4)), "ok, IMB tests two ranks only");
  EXPECT_EQ(reason(alone), "ok, it has no times of single ranks");
  EXPECT_EQ(reason(no_size), "ok, it has no size");
  EXPECT_EQ(reason(never), "ok, its time is not a number");
  EXPECT_EQ(reason(broken), "ok, its time is not a number");
  EXPECT_EQ(reason(test::unmeasured("micro/allreduce", 8, Status::skipped, "one rank")),
            "skipped, one rank");
}

// Of 2 threads and 2 ranks, windows of 64: 128 us are 2 us a message, both ways 1 us.
TEST(ImbPrinter, PrintsMessagesOfWindows) {
  const auto window = [](bool both) {
    CaseResult one = test::window("micro/thread_bandwidth", 1000, 64, {{128'000}});
    one.params.erase("backend");
    one.params.erase("memory");
    one.params["threads"] = std::int64_t{2};
    one.params["bidirectional"] = both;
    return one;
  };
  const std::vector<std::string> lines = imb_lines({window(false), window(true)});
  for (const char* line :
       {"# Benchmarking UniBandMT", "# Benchmarking BiBandMT", "# #processes = 2 (threads: 2)",
        "# window_size = 64", "       #bytes #repetitions  t_avg[usec]   Mbytes/sec      Msg/sec",
        "#-----------------------------------------------------------------------------"}) {
    EXPECT_NE(std::find(lines.begin(), lines.end(), line), lines.end()) << line;
    EXPECT_TRUE(has_line_of_imb(line, "mt")) << line;
  }
  EXPECT_EQ(rows_of(lines),
            (std::vector<std::string>{
                "         2000            1         2.00      1000.00      1000000",
                "         2000            1         1.00      2000.00      2000000"}));
}

/// Beside 4 us of computation: 5 us on rank 1 (alone 2 us), 4.5 us on rank 0 (alone 3 us).
CaseResult beside_computation(const std::string& name, const Point& more) {
  CaseResult result = test::overlapped(name, 2, 5000, 4000, 2000, more);
  result.metrics[0] = test::durations("latency", test::PerRank{{3000}, {2000}});
  result.metrics[1] = test::durations("overall_time", test::PerRank{{4500}, {5000}});
  return result;
}

// IMB_display_times: of the rank that takes longest, (2 + 4 - 5) / max(2, 4) are hidden.
TEST(ImbPrinter, PrintsWhatIsHiddenByComputation) {
  const std::vector<std::string> lines =
      imb_lines({beside_computation("micro/broadcast", {{"bytes", std::int64_t{8}}})});
  EXPECT_NE(std::find(lines.begin(), lines.end(), "# Benchmarking Ibcast"), lines.end());
  EXPECT_EQ(rows_of(lines),
            std::vector<std::string>{
                "            8            1         5.00         2.00         4.00        25.00"});
}

// Of the largest of both ranks, (3 + 4 - 5) / min(3, 4) are hidden.
TEST(ImbPrinter, PrintsAccessesToFilesBesideComputation) {
  const std::vector<std::string> lines =
      imb_lines({beside_computation("micro/mpi_io", {{"bytes", std::int64_t{8}},
                                                     {"collective_io", false},
                                                     {"operation", std::string("read")},
                                                     {"pointer", std::string("individual")},
                                                     {"sync", false}})});
  EXPECT_NE(std::find(lines.begin(), lines.end(), "# Benchmarking P_IRead_Indv"), lines.end());
  EXPECT_EQ(rows_of(lines),
            std::vector<std::string>{
                "           16            1         5.00         3.00         4.00        66.67"});
}

// Both ranks of a ping-pong have a time: IMB prints the larger one.
TEST(ImbPrinter, PrintsTheSlowerOfTwoRanks) {
  CaseResult pingpong = test::pingpong(8, 1000);
  pingpong.metrics[0] = test::durations("latency", test::PerRank{{1000}, {3000}});
  EXPECT_EQ(rows_of(imb_lines({pingpong})),
            std::vector<std::string>{"            8            1         3.00         2.67"});
}

TEST(ImbPrinter, SaysTheModeOfAccesses) {
  CaseResult put = test::pingpong(8, 1000);
  put.name = "micro/put";
  put.params.erase("memory");
  put.params["sync"] = std::string("flush");
  const std::vector<std::string> lines = imb_lines({put});
  for (const char* line : {"# Benchmarking Unidir_put", "#    MODE: NON-AGGREGATE"})
    EXPECT_NE(std::find(lines.begin(), lines.end(), line), lines.end()) << line;
  put.params["sync"] = std::string("fence");
  EXPECT_TRUE(imb_lines({put})[0].starts_with("# not in this format: "));
}

TEST(ImbPrinter, HasNoRateInNoTime) {
  EXPECT_EQ(rows_of(imb_lines({test::pingpong(8, 0)})),
            std::vector<std::string>{"            8            1         0.00         0.00"});
}

}  // namespace
}  // namespace scalemark
