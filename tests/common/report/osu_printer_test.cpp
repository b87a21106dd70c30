// SPDX-License-Identifier: Apache-2.0
// Byte by byte what the OSU micro-benchmarks 7.4 print (tests/golden/osu).
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "common/base/text.hpp"
#include "common/base/version.hpp"
#include "common/report/printer.hpp"
#include "tests/common/report/synthetic.hpp"

namespace scalemark {
namespace {

std::vector<std::string> golden_lines(const std::string& name) {
  std::ifstream file(std::string(SCALEMARK_SOURCE_DIR) + "/tests/golden/osu/" + name);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  if (lines.size() < 10) throw std::runtime_error("no golden file " + name);
  return lines;
}

std::vector<std::string> printed(const std::vector<CaseResult>& cases,
                                 const PrintOptions& options = {}) {
  std::ostringstream out;
  const auto printer = make_printer("osu", out, options);
  printer->begin(test::run_of("u", cases));
  for (const CaseResult& one : cases) printer->add(one);
  printer->end({});
  std::vector<std::string> lines = text::split(out.str(), '\n');
  lines.pop_back();
  return lines;
}

CaseResult latency_of(const std::string& name, std::int64_t bytes, std::uint64_t nanoseconds) {
  CaseResult one = test::measured(name, bytes, {nanoseconds});
  one.params["backend"] = std::string("mpi");
  one.params["memory"] = std::string("host");
  return one;
}

/// Our lines for the figures of the golden file.
void expect_like(const std::string& golden, const std::string& name, bool same_datatype) {
  const std::vector<std::string> want = golden_lines(golden);
  std::vector<CaseResult> cases;
  for (const std::string& line : want) {
    std::istringstream row(line);
    std::int64_t bytes = 0;
    double microseconds = 0;
    if (row >> bytes >> microseconds) {
      cases.push_back(
          latency_of(name, bytes, static_cast<std::uint64_t>(std::llround(microseconds * 1000))));
    }
  }
  const std::vector<std::string> got = printed(cases);
  ASSERT_EQ(got.size(), want.size());
  const std::string mark = " (OSU 7.4 format, measured by Scalemark ";
  EXPECT_EQ(got[1].substr(0, got[1].find(mark)), want[1]);
  EXPECT_NE(got[1].find(mark), std::string::npos);
  for (std::size_t i = 0; i < want.size(); ++i) {
    // OSU reduces characters by default, we floats.
    if (i == 1 || (i == 2 && !same_datatype)) continue;
    EXPECT_EQ(got[i], want[i]);
  }
}

TEST(OsuPrinter, PrintsPingpongAsLatency) { expect_like("latency.txt", "micro/pingpong", true); }
TEST(OsuPrinter, PrintsAllreduce) { expect_like("allreduce.txt", "micro/allreduce", false); }
TEST(OsuPrinter, PrintsAllgather) { expect_like("allgather.txt", "micro/allgather", true); }

TEST(OsuPrinter, NamesFormatAndProgramInTheTitle) {
  const std::vector<std::string> lines = printed({latency_of("micro/pingpong", 8, 100)});
  const std::string whole(version());
  EXPECT_TRUE(lines[1].ends_with("(OSU 7.4 format, measured by Scalemark " +
                                 whole.substr(0, whole.rfind('.')) +
                                 "; backend=mpi memory=host ranks=2)"));
}

TEST(OsuPrinter, UsesOsusStatistic) {
  CaseResult one = latency_of("micro/allreduce", 8, 1);
  // Rank means 2 us and 4 us; the median of the maximum would be 6 us.
  one.metrics[0].samples.ranks = 2;
  one.metrics[0].samples.iterations = 2;
  one.metrics[0].samples.values = std::vector<std::uint64_t>{1000, 3000, 2000, 6000};
  EXPECT_EQ(printed({one}).back(), "8                       3.00");
  EXPECT_EQ(printed({one}, {.decimals = 4}).back(), "8                     3.0000");
}

TEST(OsuPrinter, StartsATableWhenMoreThanTheSizeChanges) {
  CaseResult host = latency_of("micro/allreduce", 8, 1), device = host;
  device.params["memory"] = std::string("device");
  const std::vector<std::string> lines = printed({host, device});
  ASSERT_EQ(lines.size(), 10U);
  EXPECT_TRUE(lines[6].starts_with("# OSU MPI-CUDA Allreduce Latency Test v7.4")) << lines[6];
}

TEST(OsuPrinter, SaysWhatItCannotPrint) {
  const std::vector<std::string> lines =
      printed({test::measured("micro/memcpy", 8, {1}),
               test::unmeasured("micro/pingpong", 8, Status::skipped, "one rank\x1b")});
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0], "# not in this format: micro/memcpy bytes=8 ranks=2: ok");
  EXPECT_EQ(lines[1], "# not in this format: micro/pingpong bytes=8 ranks=2: skipped, one rank?");
}

}  // namespace
}  // namespace scalemark
