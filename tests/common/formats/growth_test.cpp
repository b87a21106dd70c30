// SPDX-License-Identifier: Apache-2.0
// Readers of other programs' results take time that grows with the length of the file.
#include "tests/support/growth.hpp"

#include <fstream>
#include <functional>
#include <ostream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/formats/import.hpp"
#include "common/formats/input.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark::formats {
namespace {

using test::kMostGrowth;
using Write = std::function<void(std::ostream& out, std::size_t n)>;

/// Reads files of n and of kGrowthSpan * n entries, and expects as many cases as `cases_of` says.
double growth_of_import(const std::string& format, std::size_t n, std::size_t cases_per_entry,
                        const Write& write) {
  const test::TempDir folder;
  for (const std::size_t count : {n, test::kGrowthSpan * n}) {
    std::ofstream file(folder / std::to_string(count), std::ios::binary);
    write(file, count);
  }
  return test::growth(n, [&](std::size_t count) {
    std::size_t cases = 0;
    const ImportTaker taker{[&](Imported imported) { cases += imported.run.cases.size(); },
                            [](const std::string&) {}};
    import_file(folder / std::to_string(count), {.format = format, .ranks = 2, .program = {}},
                taker);
    EXPECT_EQ(cases, cases_per_entry == 0 ? 1 : cases_per_entry * count) << format;
  });
}

/// The entries with commas between them.
template <typename One>
void list(std::ostream& out, std::size_t n, const One& one) {
  for (std::size_t i = 1; i <= n; ++i) out << (i == 1 ? "" : ",") << one(i);
}

std::string jsonl_case(std::size_t i) {
  return fmt::format(R"("x bytes={}":{{"metric":"t","unit":"s","scale":1e-9,"samples":[{}]}})", i,
                     i);
}

TEST(Growth, JsonLinesWithManyCases) {
  EXPECT_LT(growth_of_import("jsonl", 5'000, 1,
                             [](std::ostream& out, std::size_t n) {
                               out << R"({"run":1,"cases":{)";
                               list(out, n, jsonl_case);
                               out << "}}\n";
                             }),
            kMostGrowth);
}

TEST(Growth, JsonLinesWithManyRuns) {
  EXPECT_LT(growth_of_import("jsonl", 5'000, 1,
                             [](std::ostream& out, std::size_t n) {
                               for (std::size_t i = 1; i <= n; ++i)
                                 out << R"({"run":)" << i << R"(,"cases":{)" << jsonl_case(i)
                                     << "}}\n";
                             }),
            kMostGrowth);
}

TEST(Growth, JsonLinesWithManySamples) {
  EXPECT_LT(growth_of_import("jsonl", 250'000, 0,
                             [](std::ostream& out, std::size_t n) {
                               out << R"({"run":1,"cases":{"x":{"metric":"t","unit":"s",)"
                                   << R"("scale":1e-9,"samples":[)";
                               list(out, n, [](std::size_t i) { return std::to_string(i); });
                               out << "]}}}\n";
                             }),
            kMostGrowth);
}

// The order of keys compares the numbers in them.
TEST(Growth, JsonLinesWithLongNumbersInKeys) {
  EXPECT_LT(test::growth(
                5'000,
                [](std::size_t length) {
                  const test::TempDir folder;
                  const std::string digits(length, '1');
                  std::ofstream(folder / "x") << R"({"run":1,"cases":{")" << digits << R"( a":{},")"
                                              << digits << R"( b":{}}})";
                  const ImportTaker taker{[](const Imported&) {}, [](const std::string&) {}};
                  EXPECT_THROW(import_file(folder / "x", {.format = "jsonl"}, taker), InputError);
                }),
            kMostGrowth);
}

TEST(Growth, OsuText) {
  EXPECT_LT(growth_of_import("osu", 5'000, 1,
                             [](std::ostream& out, std::size_t n) {
                               out << "# OSU MPI Latency Test v7.4\n# Size          Latency (us)\n";
                               for (std::size_t i = 1; i <= n; ++i) out << i << "   1.25\n";
                             }),
            kMostGrowth);
}

TEST(Growth, OsuTextOfManyTables) {
  EXPECT_LT(
      growth_of_import("osu", 2'500, 1,
                       [](std::ostream& out, std::size_t n) {
                         for (std::size_t i = 1; i <= n; ++i)
                           out << "# OSU MPI Latency Test v7.4\n# Size          Latency (us)\n"
                               << i << "   1.25\n";
                       }),
      kMostGrowth);
}

TEST(Growth, ImbText) {
  EXPECT_LT(growth_of_import("imb", 5'000, 1,
                             [](std::ostream& out, std::size_t n) {
                               out << "# Benchmarking PingPong\n# #processes = 2\n"
                                   << "#bytes #repetitions      t[usec]   Mbytes/sec\n";
                               for (std::size_t i = 1; i <= n; ++i) out << i << " 1000 1.25 0.5\n";
                             }),
            kMostGrowth);
}

TEST(Growth, NcclText) {
  EXPECT_LT(
      growth_of_import(
          "nccl", 2'500, 2,
          [](std::ostream& out, std::size_t n) {
            out << "# Collective test starting: all_reduce_perf\n# size count type redop root "
                   "time algbw busbw #wrong time algbw busbw #wrong\n";
            for (std::size_t i = 1; i <= n; ++i)
              out << 4 * i << " " << i << " float sum -1 1.25 0.1 0.2 0 2.25 0.1 0.2 0\n";
          }),
      kMostGrowth);
}

TEST(Growth, NcclJson) {
  EXPECT_LT(growth_of_import("nccl-json", 2'500, 1,
                             [](std::ostream& out, std::size_t n) {
                               out << R"({"args":["all_reduce_perf"],"results":[)";
                               list(out, n, [](std::size_t i) {
                                 return fmt::format(
                                     R"({{"size":{},"count":{},"type":"float","redop":"sum",)"
                                     R"("out_of_place":{{"time":1.25,"bus_bw":2.5}}}})",
                                     4 * i, i);
                               });
                               out << R"(],"end_time":"x"})";
                             }),
            kMostGrowth);
}

TEST(Growth, NcclJsonOfManyDevices) {
  EXPECT_LT(growth_of_import("nccl-json", 12'500, 0,
                             [](std::ostream& out, std::size_t n) {
                               out << R"({"args":["all_reduce_perf"],"config":{"devices":[)";
                               list(out, n, [](std::size_t) { return "{}"; });
                               out << R"(]},"results":[{"size":4,"count":1,"type":"float",)"
                                   << R"("redop":"sum","out_of_place":{"time":1.25}}]})";
                             }),
            kMostGrowth);
}

TEST(Growth, NvbandwidthJson) {
  EXPECT_LT(growth_of_import("nvbandwidth", 2'500, 1,
                             [](std::ostream& out, std::size_t n) {
                               out << R"({"nvbandwidth":{"testcases":[)";
                               list(out, n, [](std::size_t i) {
                                 return fmt::format(R"({{"name":"test_{}","status":"Passed",)"
                                                    R"("bandwidth_matrix":[["1.5"]]}})",
                                                    i);
                               });
                               out << "]}}";
                             }),
            kMostGrowth);
}

TEST(Growth, NvbandwidthJsonOfManyCells) {
  EXPECT_LT(growth_of_import("nvbandwidth", 50'000, 0,
                             [](std::ostream& out, std::size_t n) {
                               out << R"({"nvbandwidth":{"testcases":[{"name":"test",)"
                                   << R"("status":"Passed","bandwidth_matrix":[[)";
                               list(out, n, [](std::size_t) { return R"("1.5")"; });
                               out << "]]}]}}";
                             }),
            kMostGrowth);
}

std::string google_row(const std::string& name, const std::string& more = "") {
  return fmt::format(
      R"({{"name":"{0}","run_name":"{0}","run_type":"iteration","threads":1,"iterations":9,)"
      R"("real_time":1.5,"cpu_time":1.5,"time_unit":"ns"{1}}})",
      name, more);
}

TEST(Growth, GoogleBenchmarkJson) {
  EXPECT_LT(growth_of_import("google-benchmark", 2'500, 1,
                             [](std::ostream& out, std::size_t n) {
                               out << R"({"context":{},"benchmarks":[)";
                               list(out, n, [](std::size_t i) {
                                 return google_row(fmt::format("BM_x/{}", i));
                               });
                               out << "]}";
                             }),
            kMostGrowth);
}

TEST(Growth, GoogleBenchmarkJsonOfManyRepetitions) {
  EXPECT_LT(growth_of_import("google-benchmark", 5'000, 0,
                             [](std::ostream& out, std::size_t n) {
                               out << R"({"context":{},"benchmarks":[)";
                               list(out, n, [](std::size_t) { return google_row("BM_x"); });
                               out << "]}";
                             }),
            kMostGrowth);
}

TEST(Growth, GoogleBenchmarkJsonOfManyCounters) {
  EXPECT_LT(growth_of_import("google-benchmark", 5'000, 0,
                             [](std::ostream& out, std::size_t n) {
                               std::string counters;
                               for (std::size_t i = 1; i <= n; ++i)
                                 counters += fmt::format(R"(,"c{}":1)", i);
                               out << R"({"context":{},"benchmarks":[)" << google_row("x", counters)
                                   << "]}";
                             }),
            kMostGrowth);
}

TEST(Growth, JsonOfManyListsAndObjects) {
  for (const char* one : {"{}", "[]", R"({"a":{}})"}) {
    EXPECT_LT(test::growth(25'000,
                           [&](std::size_t n) {
                             std::string text = "[";
                             for (std::size_t i = 1; i < n; ++i) text += one + std::string(",");
                             EXPECT_EQ(parse_json(text + one + "]", "here").size(), n);
                           }),
              kMostGrowth)
        << one;
  }
}

}  // namespace
}  // namespace scalemark::formats
