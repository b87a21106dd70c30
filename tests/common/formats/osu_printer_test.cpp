// SPDX-License-Identifier: Apache-2.0
// Byte by byte what the OSU micro-benchmarks 7.4 print (tests/golden/osu), and what surrounds it.
#include <array>
#include <cctype>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>

#include <gtest/gtest.h>

#include "common/base/text.hpp"
#include "common/base/version.hpp"
#include "common/formats/make_printer.hpp"
#include "common/print/printer.hpp"
#include "tests/common/formats/communication.hpp"

namespace scalemark {
namespace {

/// What stands behind OSU's own title.
constexpr const char* kMark = " [";

std::vector<std::string> golden_lines(const std::string& name) {
  std::ifstream file(std::string(SCALEMARK_SOURCE_DIR) + "/tests/golden/osu/" + name + ".txt");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    // Where its own check fails OSU ends with a line that belongs to no table.
    if (!line.starts_with("DATA VALIDATION")) lines.push_back(line);
  }
  if (lines.size() < 2) throw std::runtime_error("no golden file " + name);
  return lines;
}

/// The keys are made here: cases get their parameters one after the other.
std::vector<std::string> osu_lines(std::vector<CaseResult> cases,
                                   const PrintOptions& options = {}) {
  for (CaseResult& one : cases) one.key = make_key(one.name, one.params);
  std::ostringstream out;
  const auto printer = make_printer("osu", out, options);
  printer->begin(test::run_of("u", cases));
  for (const CaseResult& one : cases) printer->add(one);
  printer->end({});
  std::vector<std::string> lines = text::split(out.str(), '\n');
  lines.pop_back();
  return lines;
}

/// A row of a golden file.
struct GoldenRow {
  std::int64_t bytes = 0;
  double figure = 0;  ///< of the first column behind the size
  bool failed = false;
};

std::vector<GoldenRow> golden_rows(const std::vector<std::string>& lines, bool has_sizes) {
  std::vector<GoldenRow> rows;
  for (const std::string& line : lines) {
    std::istringstream words(line);
    GoldenRow row;
    if ((!has_sizes || words >> row.bytes) && words >> row.figure) {
      row.failed = line.find("Fail") != std::string::npos;
      rows.push_back(row);
    }
  }
  return rows;
}

std::string without_digits(std::string line) {
  for (char& c : line) c = std::isdigit(static_cast<unsigned char>(c)) != 0 ? '0' : c;
  return line;
}

/// Our lines for the figures of a golden file: the same bytes where no digits stand.
void expect_like(const std::string& golden, int verbosity,
                 const std::function<CaseResult(const GoldenRow&)>& make, bool has_sizes = true) {
  SCOPED_TRACE(golden);
  const std::vector<std::string> want = golden_lines(golden);
  std::vector<CaseResult> cases;
  for (const GoldenRow& row : golden_rows(want, has_sizes)) {
    cases.push_back(make(row));
    if (row.failed) {
      cases.back().verification.wrong = 1;
      cases.back().status = Status::failed;
    }
  }
  ASSERT_FALSE(cases.empty());
  std::vector<std::string> got = osu_lines(cases, {.verbosity = verbosity});
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (want[i].starts_with("# OSU ")) {
      EXPECT_EQ(got[i].substr(0, got[i].find(kMark)), want[i]);
      const std::string whole(version());
      EXPECT_TRUE(got[i].ends_with("] (OSU 7.4 format, measured by Scalemark " +
                                   whole.substr(0, whole.rfind('.')) + ")"))
          << got[i];
    } else if (want[i].starts_with("# ")) {
      EXPECT_EQ(got[i], want[i]);
    } else {
      EXPECT_EQ(without_digits(got[i]), without_digits(want[i]));
    }
  }
}

std::uint64_t nanoseconds(double microseconds) {
  return static_cast<std::uint64_t>(std::llround(microseconds * 1000));
}

/// 1000 iterations of two ranks.
std::function<CaseResult(const GoldenRow&)> collective_of(const std::string& name,
                                                          const Point& more = {}) {
  return [=](const GoldenRow& row) {
    const test::PerRank times(2, std::vector<std::uint64_t>(1000, nanoseconds(row.figure)));
    return test::collective(name, row.bytes, times, more);
  };
}

CaseResult pingpong_of(const GoldenRow& row) {
  return test::pingpong(row.bytes, nanoseconds(row.figure));
}

/// `messages` of 64 a window, of all ranks that send.
CaseResult window_of(const std::string& name, const GoldenRow& row, std::int64_t messages,
                     std::size_t ranks) {
  const double seconds = static_cast<double>(row.bytes * messages) / (row.figure * 1e6);
  return test::window(name, row.bytes, messages,
                      test::PerRank(ranks, {nanoseconds(seconds * 1e6)}));
}

TEST(OsuPrinter, PrintsLatenciesOfTwoRanks) {
  expect_like("latency", 0, pingpong_of);
  expect_like("latency_check", 1, pingpong_of);
}

TEST(OsuPrinter, PrintsLatenciesBesideChildProcesses) {
  const auto with_children = [](const GoldenRow& row) {
    CaseResult one = pingpong_of(row);
    one.params["forked"] = std::int64_t{2};
    return one;
  };
  expect_like("latency_mp_check", 1, with_children);
  CaseResult persistent = with_children({8, 1});
  persistent.params["call"] = std::string("persistent");
  EXPECT_TRUE(osu_lines({persistent})[0].starts_with("# not in this format: "));
}

TEST(OsuPrinter, PrintsLatenciesOfSeveralPairs) {
  const auto with_pairs = [](const GoldenRow& row, const char* pairs) {
    CaseResult one = test::pingpong(row.bytes, nanoseconds(row.figure), 4);
    one.params["pairs"] = std::string(pairs);
    return one;
  };
  expect_like("multi_lat", 0, [&](const GoldenRow& row) { return with_pairs(row, "adjacent"); });
  // OSU has no word for each rank with each other.
  EXPECT_TRUE(osu_lines({with_pairs({8, 1}, "all")})[0].starts_with("# not in this format: "));
}

TEST(OsuPrinter, PrintsBandwidths) {
  expect_like("bw", 0,
              [](const GoldenRow& row) { return window_of("micro/bandwidth", row, 64, 1); });
  expect_like("bibw", 0, [](const GoldenRow& row) {
    return window_of("micro/bidirectional_bandwidth", row, 128, 1);
  });
  expect_like("mbw_mr", 0,
              [](const GoldenRow& row) { return window_of("micro/multi_pair", row, 64, 2); });
}

TEST(OsuPrinter, PrintsCollectives) {
  expect_like("allgather", 0, collective_of("micro/allgather"));
  const Point characters = {{"dtype", std::string("int8")}};  // OSU's default, not ours
  expect_like("allreduce", 0, collective_of("micro/allreduce", characters));
  expect_like("bcast_int", 0, collective_of("micro/broadcast", {{"dtype", std::string("int32")}}));
  expect_like("allreduce_full", 1, collective_of("micro/allreduce", characters));
  expect_like("allreduce_full_check_tail", 2, collective_of("micro/allreduce", characters));
}

TEST(OsuPrinter, PrintsBarriersWithoutSizes) {
  const auto barrier = [](const GoldenRow& row) {
    CaseResult one = collective_of("micro/barrier")(row);
    one.params.erase("bytes");
    return one;
  };
  expect_like("barrier", 0, barrier, false);
  expect_like("barrier_full", 1, barrier, false);
}

TEST(OsuPrinter, PrintsStartUpAsASentence) {
  CaseResult one = test::communication("micro/init", 2);
  one.primary_metric = "time";
  // OSU cuts each rank's time to milliseconds: 217 and 218, then the mean of these.
  one.metrics = {test::durations("time", {{217'999'999}, {218'000'000}})};
  const std::vector<std::string> want = golden_lines("init"), got = osu_lines({one});
  ASSERT_EQ(got.size(), want.size());
  EXPECT_EQ(got[0].substr(0, got[0].find(kMark)), want[0]);
  EXPECT_EQ(got[1], want[1]);
}

TEST(OsuPrinter, NamesFormatAndProgramInTheTitle) {
  const std::vector<std::string> lines = osu_lines({test::pingpong(8, 100)});
  const std::string whole(version());
  EXPECT_EQ(
      lines[1],
      "# OSU MPI Latency Test v7.4 [backend=mpi memory=host ranks=2] (OSU 7.4 format, measured "
      "by Scalemark " +
          whole.substr(0, whole.rfind('.')) + ")");
}

/// The first line that is printed of a collective, without the version.
std::string title(const std::string& name, const char* call) {
  CaseResult one = test::overlapped(name, 2, 3, 2, 1, {{"bytes", std::int64_t{8}}});
  one.params["call"] = std::string(call);
  const std::string line = osu_lines({one})[1];
  return line.substr(0, line.find(" v7.4"));
}

TEST(OsuPrinter, HasTheTitlesOfVariants) {
  EXPECT_EQ(title("micro/allreduce", "nonblocking"),
            "# OSU MPI Non-blocking Allreduce Latency Test");
  EXPECT_EQ(title("micro/broadcast", "nonblocking"),
            "# OSU MPI Non-Blocking Broadcast Latency Test");
  EXPECT_EQ(title("micro/alltoall", "nonblocking"),
            "# OSU MPI Non-blocking All-to-All Latency Test");
  EXPECT_EQ(title("micro/alltoallv", "nonblocking"),
            "# OSU MPI Non-blocking All-to-Allv Personalized Exchange Latency Test");
  EXPECT_EQ(title("micro/allgather", "persistent"), "# OSU MPI Allgather Persistent Latency Test");
  EXPECT_EQ(title("micro/alltoall", "persistent"),
            "# OSU MPI All-to-All Personalized Exchange Persistent Latency Test");
}

/// As the sources of OSU 7.4 have them, but for the blocking one of alltoallw, which there has
/// the title of plain alltoallw.
TEST(OsuPrinter, HasTheTitlesOfNeighborhoods) {
  using Titles = std::array<std::string, 3>;
  for (const auto& [name, blocking, nonblocking] : {Titles{"allgather", "Allgather", "Allgather"},
                                                    {"allgatherv", "Allgatherv", "Allgatherv"},
                                                    {"alltoall", "Alltoall", "Alltoall"},
                                                    {"alltoallv", "All-to-Allv", "Alltoallv"},
                                                    {"alltoallw", "Alltoallw", "Alltoallw"}}) {
    const std::string benchmark = "micro/neighbor_" + name;
    EXPECT_EQ(title(benchmark, "blocking"), "# OSU MPI Neighborhood " + blocking + " Latency Test");
    EXPECT_EQ(title(benchmark, "nonblocking"),
              "# OSU MPI Non-blocking Neighborhood " + nonblocking + " Latency Test");
  }
}

TEST(OsuPrinter, KnowsTheUsualCallOfEachTest) {
  const auto title = [](CaseResult one, const char* call) {
    one.params["call"] = std::string(call);
    const std::vector<std::string> lines = osu_lines({one});
    const std::string& line = lines.size() > 1 ? lines[lines[0].empty() ? 1 : 0] : lines[0];
    return line.substr(0, line.find(" v7.4"));
  };
  const CaseResult latency = test::pingpong(8, 1000), four = test::pingpong(8, 1000, 4);
  const CaseResult stream = test::window("micro/bandwidth", 8, 64, {{1000}});
  const CaseResult pairs = test::window("micro/multi_pair", 8, 64, {{1000}, {1000}});
  EXPECT_EQ(title(latency, "blocking"), "# OSU MPI Latency Test");
  EXPECT_EQ(title(latency, "persistent"), "# OSU MPI Latency Persistent Test");
  EXPECT_EQ(title(stream, "nonblocking"), "# OSU MPI Bandwidth Test");
  CaseResult usual = stream;
  usual.params["call"] = std::string("nonblocking");
  EXPECT_EQ(osu_lines({usual}).size(), 5U);
  EXPECT_EQ(title(stream, "persistent"), "# OSU MPI Bandwidth Persistent Test");
  for (const std::string& line : {title(latency, "nonblocking"), title(four, "persistent"),
                                  title(stream, "blocking"), title(pairs, "persistent")})
    EXPECT_TRUE(line.starts_with("# not in this format")) << line;
}

TEST(OsuPrinter, PrintsOverlap) {
  // 5 us are left of 10 us of communication.
  const CaseResult one =
      test::overlapped("micro/allreduce", 2, 25000, 20000, 10000, {{"bytes", std::int64_t{8}}});
  const std::vector<std::string> lines = osu_lines({one});
  ASSERT_EQ(lines.size(), 7U);
  EXPECT_EQ(lines[2], "# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait");
  EXPECT_EQ(lines[3], "");
  EXPECT_EQ(lines[4], "# Datatype: MPI_FLOAT.");
  EXPECT_EQ(lines[5],
            "# Size           Overall(us)       Compute(us)    Pure Comm.(us)        Overlap(%)");
  EXPECT_EQ(lines[6],
            "8                      25.00             20.00             10.00             50.00");
  const std::vector<std::string> barrier =
      osu_lines({test::overlapped("micro/barrier", 2, 40000, 20000, 10000)});
  ASSERT_EQ(barrier.size(), 6U);
  EXPECT_EQ(barrier[4], "# Overall(us)       Compute(us)    Pure Comm.(us)        Overlap(%)");
  EXPECT_EQ(barrier[5], "        40.00             20.00             10.00              0.00");
}

TEST(OsuPrinter, PrintsOneSidedHeaders) {
  const auto lines_of = [](const char* name, Point more) {
    return osu_lines({test::collective(name, 8, {{1500}, {1500}}, std::move(more))},
                     {.verbosity = 1});
  };
  const std::vector<std::string> put = lines_of("micro/put", {{"sync", std::string("fence")}});
  ASSERT_EQ(put.size(), 6U);
  EXPECT_TRUE(put[0].starts_with("# OSU MPI_Put Latency Test v7.4 ["));
  EXPECT_EQ(put[1], "# Window creation: MPI_Win_allocate");
  EXPECT_EQ(put[2], "# Synchronization: MPI_Win_fence");
  EXPECT_EQ(put[3], "# Datatype: MPI_CHAR.");
  EXPECT_EQ(put[4], "# Size          Latency (us)");
  EXPECT_EQ(put[5], "8                       1.50");
  const std::vector<std::string> add = lines_of(
      "micro/accumulate", {{"sync", std::string("lock")}, {"memory", std::string("device")}});
  ASSERT_EQ(add.size(), 7U);
  EXPECT_TRUE(add[0].starts_with("# OSU MPI_Accumulate-CUDA latency Test v7.4 ["));
  EXPECT_EQ(add[2], "# Synchronization: MPI_Win_lock/unlock");
  EXPECT_EQ(add[4], "# Rank 0 Memory on DEVICE (D) and Rank 1 Memory on DEVICE (D)");
  EXPECT_EQ(add[1], "# Window creation: MPI_Win_create") << "MPI allocates no device memory";
  EXPECT_TRUE(add[6].ends_with("            passed")) << add[6];
  const std::vector<std::string> attached = lines_of(
      "micro/get", {{"sync", std::string("pscw")}, {"window_creation", std::string("dynamic")}});
  EXPECT_EQ(attached[1], "# Window creation: MPI_Win_create_dynamic");
  EXPECT_EQ(attached[2], "# Synchronization: MPI_Win_post/start/complete/wait");
}

TEST(OsuPrinter, PrintsBandwidthsOfOneSidedTests) {
  const std::vector<std::string> lines =
      osu_lines({test::window("micro/put_bandwidth", 1000, 64, {{64000}})});
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_TRUE(lines[0].starts_with("# OSU MPI_Put Bandwidth Test v7.4 ["));
  EXPECT_EQ(lines[4], "# Size      Bandwidth (MB/s)");
  EXPECT_EQ(lines[5], "1000                 1000.00");
}

TEST(OsuPrinter, StartsATableWhenMoreThanTheSizeChanges) {
  const CaseResult host = test::collective("micro/allreduce", 8, {{1}, {1}});
  CaseResult device = host, gloo = host;
  device.params["memory"] = std::string("device");
  gloo.params["backend"] = std::string("gloo");
  const std::vector<std::string> lines = osu_lines({host, device, gloo});
  ASSERT_EQ(lines.size(), 15U);
  EXPECT_TRUE(lines[6].starts_with("# OSU MPI-CUDA Allreduce Latency Test v7.4")) << lines[6];
  EXPECT_TRUE(lines[11].starts_with("# OSU GLOO Allreduce Latency Test v7.4")) << lines[11];
}

TEST(OsuPrinter, KeepsTablesTogetherThatComeInTurns) {
  const auto call = [](std::int64_t bytes, const char* how) {
    const Point more = *how == '\0' ? Point{} : Point{{"call", std::string(how)}};
    return test::collective("micro/allgather", bytes, {{1000}, {1000}}, more);
  };
  const std::vector<CaseResult> cases = {call(8, ""), call(8, "persistent"), call(16, ""),
                                         call(16, "persistent")};
  const std::vector<std::string> lines = osu_lines(cases);
  ASSERT_EQ(lines.size(), 12U);
  EXPECT_TRUE(lines[1].starts_with("# OSU MPI Allgather Latency Test"));
  EXPECT_TRUE(lines[4].starts_with("8 ") && lines[5].starts_with("16 "));
  EXPECT_TRUE(lines[7].starts_with("# OSU MPI Allgather Persistent Latency Test"));
  EXPECT_TRUE(lines[10].starts_with("8 ") && lines[11].starts_with("16 "));
}

TEST(OsuPrinter, SaysOfParametersWhatTheKeySays) {
  // A case has all its axes; its key leaves out those at the value that they always had.
  CaseResult one = test::collective("micro/allreduce", 8, {{1000}, {1000}});
  one.key = make_key(one.name, one.params);
  one.params["call"] = std::string("blocking");
  one.params["dtype"] = std::string("fp32");
  std::ostringstream out;
  const auto printer = make_printer("osu", out, {});
  printer->begin(test::run_of("u", {one}));
  printer->add(one);
  printer->end({});
  EXPECT_NE(
      out.str().find("# OSU MPI Allreduce Latency Test v7.4 [backend=mpi memory=host ranks=2] ("),
      std::string::npos)
      << out.str();
}

TEST(OsuPrinter, SaysWhatItCannotPrint) {
  const std::vector<std::string> lines =
      osu_lines({test::measured("micro/memcpy", 8, {1}),
                 test::unmeasured("micro/pingpong", 8, Status::skipped, "one rank\x1b")});
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0], "# not in this format: micro/memcpy bytes=8 ranks=2: ok");
  EXPECT_EQ(lines[1], "# not in this format: micro/pingpong bytes=8 ranks=2: skipped, one rank?");
}

TEST(OsuPrinter, LeavesOutWhatIsNoNumber) {
  const auto only_line = [](const CaseResult& one) {
    const std::vector<std::string> lines = osu_lines({one}, {.verbosity = 2});
    EXPECT_EQ(lines.size(), 1U);
    return lines.at(0).substr(lines.at(0).rfind(": ") + 2);
  };
  CaseResult never = test::collective("micro/allgather", 8, {{}, {}}), broken = never;
  broken.metrics[0].samples.iterations = 1;
  broken.metrics[0].samples.values =
      std::vector<double>{1, std::numeric_limits<double>::infinity()};
  CaseResult no_size = test::pingpong(8, 1000), init = test::communication("micro/init", 2);
  no_size.params.erase("bytes");
  init.primary_metric = "time";
  init.metrics = {test::durations("time", {{}, {}})};
  EXPECT_EQ(only_line(never), "ok, Avg Latency(us) is not a number");
  EXPECT_EQ(only_line(broken), "ok, Avg Latency(us) is not a number");
  EXPECT_EQ(only_line(test::window("micro/bandwidth", 8, 64, {{0, 0}})),
            "ok, Bandwidth (MB/s) is not a number");
  EXPECT_EQ(only_line(test::window("micro/multi_pair", 8, 64, {{0}, {0}})),
            "ok, MB/s is not a number");
  EXPECT_EQ(only_line(no_size), "ok, it has no size");
  EXPECT_EQ(only_line(init), "ok");
}

TEST(OsuPrinter, PrintsNumbersOfNoTime) {
  const std::vector<std::string> lines =
      osu_lines({test::collective("micro/allgather", 8, {{0}, {0}})});
  EXPECT_EQ(lines.back(), "8                       0.00");
  // An iteration of no time has no rate, which is no reason to leave out those of the others.
  const std::string row =
      osu_lines({test::window("micro/bandwidth", 1000, 64, {{0, 0, 1000}})}, {.verbosity = 2})
          .back();
  EXPECT_EQ(row,
            "1000               192000.00              Pass          64000.00          64000.00"
            "          64000.00");
}

TEST(OsuPrinter, KeepsNumbersApart) {
  const CaseResult one = test::window("micro/multi_pair", 1, 6'400'000'000, {{300'000}, {300'000}});
  std::istringstream row(osu_lines({one}, {.decimals = 12}).back());
  std::string bytes, bandwidth, messages, more;
  row >> bytes >> bandwidth >> messages;
  EXPECT_GT(messages.size(), 18U);
  EXPECT_NEAR(std::stod(bandwidth), 64e14 / 300 / 1e6, 1);
  EXPECT_FALSE(row >> more) << more;
}

}  // namespace
}  // namespace scalemark
