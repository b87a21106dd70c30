// SPDX-License-Identifier: Apache-2.0
// OSU's statistics against numbers worked out by hand.
#include "common/formats/osu/osu_columns.hpp"

#include <gtest/gtest.h>

#include "tests/common/formats/communication.hpp"

namespace scalemark::formats {
namespace {

/// Heading and text of each column, "heading: text".
std::vector<std::string> said(const CaseResult& result, const PrintOptions& options = {}) {
  const OsuTest* test = osu_test_of(result);
  std::vector<std::string> all;
  if (test == nullptr) return all;
  for (const OsuColumn& column : osu_columns(*test, result, options))
    all.push_back(column.heading + ": " + column.text);
  return all;
}
using Said = std::vector<std::string>;

// Rank means 2 us and 4 us; the median of the maximum would be 6 us.
CaseResult uneven() { return test::collective("micro/allreduce", 8, {{1000, 3000}, {2000, 6000}}); }

TEST(OsuColumns, AreMeansOverRanksOfMeans) {
  EXPECT_EQ(said(uneven()), Said{"Avg Latency(us): 3.00"});
  EXPECT_EQ(said(uneven(), {.decimals = 4}), Said{"Avg Latency(us): 3.0000"});
}

TEST(OsuColumns, GrowWithVerbosity) {
  const Said full = {"Avg Latency(us): 3.00", "Min Latency(us): 2.00", "Max Latency(us): 4.00",
                     "Iterations: 2"};
  EXPECT_EQ(said(uneven(), {.verbosity = 1}), full);
  Said all = full;
  // Iteration means 1.5 us and 4.5 us. Of two, place 2 * p / 100 is 1 for all three.
  for (const char* more : {"Validation: Pass", "P50 Tail Lat(us): 1.50", "P90 Tail Lat(us): 1.50",
                           "P99 Tail Lat(us): 1.50"})
    all.emplace_back(more);
  EXPECT_EQ(said(uneven(), {.verbosity = 2}), all);
  EXPECT_EQ(said(test::pingpong(8, 1500), {.verbosity = 1}),
            (Said{"Avg Latency(us): 1.50", "Validation: Pass"}));
  EXPECT_EQ(said(test::pingpong(8, 1500), {.verbosity = 2}).size(), 5U);
}

TEST(OsuColumns, LeaveOutWhatIsNotKnown) {
  CaseResult one = uneven();
  one.verification = {};
  EXPECT_EQ(said(one, {.verbosity = 2}).size(), 7U);
  // One number for two ranks, as imports have it: of its spread and its iterations it tells
  // nothing.
  CaseResult imported = test::collective("micro/allreduce", 8, {{1000}});
  imported.params["ranks"] = std::int64_t{2};
  EXPECT_EQ(said(imported, {.verbosity = 2}), (Said{"Avg Latency(us): 1.00", "Validation: Pass"}));
  imported.metrics.push_back(test::duration("latency_min", {900}));
  imported.metrics.push_back(test::duration("latency_max", {1100}));
  imported.facts["iterations"] = std::int64_t{1000};
  EXPECT_EQ(said(imported, {.verbosity = 1}),
            (Said{"Avg Latency(us): 1.00", "Min Latency(us): 0.90", "Max Latency(us): 1.10",
                  "Iterations: 1000"}));
}

TEST(OsuColumns, CutThePlaceOfPercentiles) {
  // 15 iterations of 1 to 15 us in disorder, the first of them warm-up: 15 is left out. The second
  // rank adds 2 us each time: means are 2 to 15. Of 14, places 7, 12 (12.6) and 13 (13.86).
  std::vector<std::uint64_t> first = {15, 3, 1, 2, 14, 5, 4, 13, 6, 12, 7, 11, 8, 10, 9}, second;
  for (std::uint64_t& one : first) {
    second.push_back((one + 2) * 1000);
    one *= 1000;
  }
  CaseResult one = test::collective("micro/allgather", 8, {first, second});
  one.metrics[0].samples.warmup = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  const Said all = said(one, {.verbosity = 2});
  ASSERT_EQ(all.size(), 8U);
  EXPECT_EQ(all[3], "Iterations: 14");
  EXPECT_EQ(all[5], "P50 Tail Lat(us): 8.00");
  EXPECT_EQ(all[6], "P90 Tail Lat(us): 13.00");
  EXPECT_EQ(all[7], "P99 Tail Lat(us): 14.00");
}

TEST(OsuColumns, AreRatesOfMeanTimes) {
  // 64 messages of 1000 B in 1 us, 1 us and 4 us: the mean is 2 us, the median 1 us.
  const CaseResult one = test::window("micro/bandwidth", 1000, 64, {{1000, 1000, 4000}});
  EXPECT_EQ(said(one), Said{"Bandwidth (MB/s): 32000.00"});
  const Said all = said(one, {.verbosity = 2});
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(all[1], "Validation: Pass");
  // Rates in ascending order: 16, 64 and 64 GB/s; place 1 of 3 for 50 %, 2 of 3 for 90 and 99 %.
  EXPECT_EQ(all[2], "P50 Tail BW(MB/s): 16000.00");
  EXPECT_EQ(all[3], "P90 Tail BW(MB/s): 64000.00");
  EXPECT_EQ(all[4], "P99 Tail BW(MB/s): 64000.00");
}

TEST(OsuColumns, CountSendersOnly) {
  // Two pairs, ranks 0 and 1 send: 2 us and 4 us; the receivers' times would change the mean.
  const CaseResult one =
      test::window("micro/multi_pair", 1000, 2 * 64, {{2000}, {4000}, {9000}, {9000}}, 4);
  EXPECT_EQ(said(one), (Said{"MB/s: 42666.67", "Messages/s: 42666666.67"}));
}

TEST(OsuColumns, AreThoseOfRankZeroOfSeveralPairs) {
  CaseResult one = test::communication("micro/pingpong", 4, {{"bytes", std::int64_t{8}}});
  one.metrics = {test::durations("latency", {{2000}, {8000}, {9000}, {9000}})};
  EXPECT_EQ(said(one, {.verbosity = 2}),
            (Said{"Avg Latency(us): 2.00", "Validation: Pass", "P50 Tail Lat(us): 2.00",
                  "P90 Tail Lat(us): 2.00", "P99 Tail Lat(us): 2.00"}));
}

TEST(OsuColumns, ShowAllTimesOfNonBlockingOperationsWhereTheyAreKnown) {
  CaseResult one =
      test::overlapped("micro/allreduce", 2, 25000, 20000, 10000, {{"bytes", std::int64_t{8}}});
  EXPECT_EQ(said(one, {.verbosity = 1}).size(), 4U);
  for (const auto& [name, time] : {std::pair{"init_time", 1000U}, std::pair{"test_time", 2000U},
                                   std::pair{"wait_time", 3000U}})
    one.metrics.push_back(test::durations(name, {{time}, {time}}));
  EXPECT_EQ(said(one, {.verbosity = 1}),
            (Said{"Overall(us): 25.00", "Compute(us): 20.00", "Coll. Init(us): 1.00",
                  "MPI_Test(us): 2.00", "MPI_Wait(us): 3.00", "Pure Comm.(us): 10.00",
                  "Min Comm.(us): 10.00", "Max Comm.(us): 10.00", "Overlap(%): 50.00"}));
  // OSU's percentiles are those of the time beside computation.
  const Said all = said(one, {.verbosity = 2});
  ASSERT_EQ(all.size(), 13U);
  EXPECT_EQ(all[9], "Validation: Pass");
  EXPECT_EQ(all[12], "P99 Tail Lat(us): 25.00");
  one.metrics.erase(one.metrics.begin() + 1);  // no overall time, no table
  EXPECT_TRUE(said(one).empty());
}

}  // namespace
}  // namespace scalemark::formats
