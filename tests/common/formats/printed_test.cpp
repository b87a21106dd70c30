// SPDX-License-Identifier: Apache-2.0
// What our printers write in the formats of other programs comes back: keys, units and values.
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "common/formats/case_key.hpp"
#include "common/formats/imb/imb_tests.hpp"
#include "common/formats/import.hpp"
#include "common/formats/make_printer.hpp"
#include "common/formats/nccl/nccl_tests.hpp"
#include "common/formats/osu/osu_tests.hpp"
#include "common/print/printer.hpp"
#include "common/result/summarise.hpp"
#include "tests/common/formats/communication.hpp"
#include "tests/common/formats/copies.hpp"

namespace scalemark {
namespace {

std::string text_in_format(const std::string& format, const std::vector<CaseResult>& cases,
                           int verbosity = 0) {
  std::ostringstream out;
  const auto printer = make_printer(format, out, {.verbosity = verbosity});
  const scalemark::Run run = test::run_of("u", cases);
  printer->begin(run);
  for (const CaseResult& one : cases) printer->add(one);
  printer->end(run);
  return out.str();
}

/// The run that an import makes of the text, and what it had to say about it.
struct Taken {
  scalemark::Run run;
  std::string notes;
  const CaseResult* find(const std::string& key) const {
    for (const CaseResult& one : run.cases) {
      if (one.key == key) return &one;
    }
    return nullptr;
  }
};
Taken taken(const std::string& text) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("scalemark_printed_" + std::to_string(getpid()) + ".txt");
  std::ofstream(path) << text;
  Taken taken;
  formats::import_file(path, {},
                       {.run = [&](formats::Imported found) { taken.run = std::move(found.run); },
                        .note = [&](const std::string& note) { taken.notes += note + "\n"; }});
  std::filesystem::remove(path);
  return taken;
}

/// Cases of all tests of OSU in all calls, and of blocks with gaps, two sizes each.
std::vector<CaseResult> osu_cases() {
  std::vector<CaseResult> cases;
  const auto add = [&](CaseResult one) {
    one.key = make_key(one.name, one.params);
    cases.push_back(std::move(one));
  };
  for (const formats::OsuTest& test : formats::kOsuTests) {
    for (const std::int64_t bytes : {8, 1024}) {
      const bool has_size = test.table != formats::OsuTable::barrier;
      const std::uint64_t time = 1000 + static_cast<std::uint64_t>(bytes) * 10;
      Point more = {{"dtype", std::string("int32")}, {"in_place", true}};
      if (!has_size) more = {};
      if (test.table == formats::OsuTable::start_up) {
        CaseResult one = test::communication(test.name, bytes);
        one.primary_metric = "time";
        one.metrics = {
            test::durations("time", test::PerRank(static_cast<std::size_t>(bytes), {217'000'000}))};
        add(one);
      } else if (test.table == formats::OsuTable::latency) {
        CaseResult one = test::pingpong(bytes, time, test.ranks == formats::OsuRanks::two ? 2 : 4);
        if (test.sides != nullptr) one.params[test.sides->axis] = std::int64_t{2};
        if (test.sides == &formats::kOsuThreads) {
          one.name = test.name;
          for (const char* implied : {"backend", "memory"}) one.params.erase(implied);
        }
        add(one);
      } else if (test.table == formats::OsuTable::bandwidth) {
        add(test::window(test.name, bytes, 64, {{time}}));
        CaseResult persistent = test::window(test.name, bytes, 64, {{2 * time}});
        persistent.params["call"] = std::string("persistent");
        add(persistent);
      } else if (test.table == formats::OsuTable::message_rate) {
        add(test::window(test.name, bytes, 128, test::PerRank(4, {time}), 4));
      } else if (test.table == formats::OsuTable::one_sided_bandwidth) {
        add(test::window(test.name, bytes, 64, {{time}}));
      } else if (test.table == formats::OsuTable::one_sided) {
        add(test::collective(test.name, bytes, {{time}, {time}}, {{"sync", std::string("lock")}}));
      } else {
        for (const char* call : {"blocking", "nonblocking", "persistent"}) {
          const bool overlaps = std::string(call) == "nonblocking";
          const test::PerRank times = {{time, 3 * time}, {time, 3 * time}, {time, 3 * time}};
          if (has_size) more["bytes"] = bytes;
          CaseResult one = overlaps
                               ? test::overlapped(test.name, 3, 3 * time, 2 * time, 2 * time, more)
                               : test::collective(test.name, bytes, times, more);
          if (std::string(call) == "persistent") one.params["call"] = std::string(call);
          if (!has_size) one.params.erase("bytes");
          if (has_size || bytes == 8) add(one);
        }
      }
    }
  }
  for (const std::int64_t bytes : {8, 1024}) {
    const Point blocks = {{"packing", std::string("datatype")}, {"blocks", std::string("strided")}};
    Point collective = blocks;
    collective["collective"] = std::string("alltoall");
    for (CaseResult one :
         {test::collective("micro/datatype_pingpong", bytes, {{1000}, {1000}}, blocks),
          test::collective("micro/datatype_collective", bytes, {{1000}, {3000}}, collective)}) {
      one.facts["extent_bytes"] = 2 * bytes;
      add(one);
    }
  }
  return cases;
}

TEST(Printed, OsuTextComesBack) {
  const std::vector<CaseResult> cases = osu_cases();
  for (const int verbosity : {0, 1, 2}) {
    SCOPED_TRACE(verbosity);
    const std::string text = text_in_format("osu", cases, verbosity);
    const Taken back = taken(text);
    EXPECT_EQ(back.notes, "");
    EXPECT_EQ(back.run.cases.size(), cases.size());
    for (const CaseResult& one : cases) {
      SCOPED_TRACE(one.key);
      const CaseResult* found = back.find(one.key);
      ASSERT_NE(found, nullptr);
      EXPECT_EQ(found->primary_metric, one.primary_metric);
      for (const Metric& metric : one.metrics) {
        const Metric* same = found->find(metric.name);
        if (same == nullptr) {  // the time of a window stands nowhere
          EXPECT_EQ(metric.name, "time");
          continue;
        }
        EXPECT_EQ(same->unit, metric.unit);
        if (metric.kind == MetricKind::ratio) continue;  // made up: OSU's follows from the times
        const double want = metric.kind == MetricKind::rate ? median_of(one, metric)
                                                            : osu_statistic(metric).average;
        const double scale = metric.unit == "By/s" ? 1e6 : metric.unit == "1/s" ? 1 : 1e-6;
        EXPECT_NEAR(median_of(*found, *same), want, 0.00501 * scale) << metric.name;
      }
      if (const Metric* overlap = found->find("overlap_ratio")) {
        EXPECT_NEAR(median_of(*found, *overlap), 0.5, 1e-9);
      }
      if (verbosity == 2 && one.find("latency") != nullptr && one.metrics.size() == 1 &&
          one.metrics[0].rank_reduce == RankReduce::max) {
        EXPECT_NE(found->find("latency_p99"), nullptr);
      }
    }
    // Printed again, all columns are the same.
    EXPECT_EQ(text_in_format("osu", back.run.cases, verbosity), text);
  }
}

TEST(Printed, OsuKeepsWrongData) {
  CaseResult wrong = test::collective("micro/allgather", 8, {{1000}, {1000}});
  wrong.status = Status::failed;
  wrong.verification.wrong = 3;
  wrong.key = make_key(wrong.name, wrong.params);
  CaseResult right = test::collective("micro/allgather", 16, {{1000}, {1000}});
  right.key = make_key(right.name, right.params);
  const Taken back = taken(text_in_format("osu", {wrong, right}, 2));
  ASSERT_EQ(back.run.cases.size(), 2U);
  EXPECT_EQ(back.find(wrong.key)->status, Status::failed);
  EXPECT_EQ(back.find(right.key)->status, Status::ok);
  EXPECT_TRUE(back.find(right.key)->verification.done);
  EXPECT_EQ(taken(text_in_format("osu", {wrong, right}, 1)).run.cases.size(), 1U);
}

/// All tests of nccl-tests: two types, two sizes, both places or one of them.
std::vector<CaseResult> nccl_cases() {
  std::vector<CaseResult> cases;
  for (const formats::NcclTest& test : formats::kNcclTests) {
    if (test.is_hypercube) continue;  // below
    for (const char* dtype : {"", "bf16"}) {
      for (const std::int64_t bytes : {64, 4096}) {
        for (const bool in_place : {false, true}) {
          if (in_place && bytes == 64) continue;
          Point more;
          if (*dtype != '\0') more["dtype"] = std::string(dtype);
          if (in_place) more["in_place"] = true;
          if (test.has_root) more["root"] = std::int64_t{1};
          const std::uint64_t time =
              2000 + (in_place ? 500 : 0) + static_cast<std::uint64_t>(bytes);
          const bool all = test.size == formats::NcclSize::of_all_ranks;
          cases.push_back(test::collective(test.name, bytes, test::PerRank(2, {time}), more,
                                           static_cast<double>(all ? 2 * bytes : bytes), 0.5));
          cases.back().key = make_key(test.name, cases.back().params);
        }
      }
    }
  }
  return cases;
}

TEST(Printed, NcclTextComesBack) {
  const std::vector<CaseResult> cases = nccl_cases();
  const std::string text = text_in_format("nccl", cases);
  const Taken back = taken(text);
  EXPECT_EQ(back.notes, "");
  EXPECT_EQ(back.run.cases.size(), cases.size());
  EXPECT_TRUE(back.run.complete);
  EXPECT_EQ(back.run.ranks.size(), 2U);
  EXPECT_EQ(back.run.producer.at("imported_from"), "Scalemark");
  for (const CaseResult& one : cases) {
    SCOPED_TRACE(one.key);
    const CaseResult* found = back.find(one.key);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->primary_metric, "latency");
    EXPECT_EQ(found->facts.at("total_bytes"), one.facts.at("total_bytes"));
    EXPECT_TRUE(found->verification.done);
    ASSERT_EQ(found->metrics.size(), one.metrics.size());
    for (const Metric& metric : one.metrics) {
      const Metric* same = found->find(metric.name);
      ASSERT_NE(same, nullptr) << metric.name;
      EXPECT_EQ(same->unit, metric.unit);
      const double scale = metric.unit == "s" ? 1e-6 : 1e9;
      EXPECT_NEAR(median_of(*found, *same), median_of(one, metric), 0.00501 * scale);
    }
  }
  // Printed again: the same rows, but for the number of iterations, which the text does not tell.
  const auto rows = [](const std::string& all) {
    std::string kept;
    std::istringstream in(all);
    for (std::string line; std::getline(in, line);) {
      if (!line.starts_with('#')) kept += line + '\n';
    }
    return kept;
  };
  EXPECT_EQ(rows(text_in_format("nccl", back.run.cases)), rows(text));
}

// hypercube_perf is in place, and both its rates are of what the others have: 3 * 1000 B in 3 us.
TEST(Printed, NcclHypercubesComeBack) {
  CaseResult one =
      test::collective("micro/hypercube", 1000, test::PerRank(4, {3000}), {}, 4000, 0.75);
  one.key = make_key(one.name, one.params);
  const std::string text = text_in_format("nccl", {one});
  EXPECT_NE(
      text.find("        4000          1000      int8              -1      N/A     N/A     N/A "
                "    N/A     3.00    1.00    1.00       0"),
      std::string::npos)
      << text;
  const Taken back = taken(text);
  ASSERT_EQ(back.run.cases.size(), 1U);
  const CaseResult& found = back.run.cases[0];
  EXPECT_EQ(found.key, one.key);
  EXPECT_EQ(found.find("bandwidth"), nullptr);
  EXPECT_NEAR(median_of(found, *found.find("bus_bandwidth")), 1e9, 5e6);
  const std::string again = text_in_format("nccl", back.run.cases);
  EXPECT_NE(again.find("3.00    1.00    1.00       0"), std::string::npos) << again;
}

/// A case of the test, of two ranks or three, with the axes that its benchmark has.
CaseResult imb_case(const formats::ImbTest& test, std::int64_t bytes, std::uint64_t time) {
  const test::PerRank three{{time}, {3 * time}, {2 * time}};
  const std::string name = test.benchmark;
  CaseResult one;
  switch (test.columns) {
    case formats::ImbColumns::time_rate:
      one = test::pingpong(bytes, time);
      one.name = name;
      break;
    case formats::ImbColumns::spread:
    case formats::ImbColumns::spread_rate:
      one = test::collective(name, bytes, three);
      break;
    case formats::ImbColumns::messages:
      one = test::window(name, bytes, 64, {{time}});
      break;
    case formats::ImbColumns::passive_target:
      one = test::pingpong(bytes, 3 * time);
      one.name = name;
      one.metrics.push_back(test::durations("waiting_latency", {{time}}, RankReduce::root));
      break;
    case formats::ImbColumns::overlap:
      one = test::overlapped(name, 3, 5 * time, 4 * time, 2 * time, {{"bytes", bytes}});
      break;
  }
  if (test.has_time) one.metrics[0].name = one.primary_metric = "time";
  if (!test.has_size) one.params.erase("bytes");
  if (!test.has_size || test.program != formats::ImbProgram::mpi1) one.params.erase("memory");
  if (test.program == formats::ImbProgram::mt || test.program == formats::ImbProgram::io)
    one.params.erase("backend");
  if (test.program == formats::ImbProgram::mt) one.params["threads"] = std::int64_t{3};
  for (const formats::ImbAxis& axis : test.axes) {
    if (axis.name == nullptr || axis.is_usual) continue;
    one.params[axis.name] = formats::value_of_text(axis.value);
  }
  if (test.reduces) one.params["dtype"] = std::string("fp64");
  return one;
}

/// All tests of IMB, two sizes of each, one after the other; the second on other data.
std::vector<CaseResult> imb_cases() {
  std::vector<CaseResult> cases;
  for (const std::int64_t bytes : {64, 4096}) {
    for (const formats::ImbTest& test : formats::imb_tests()) {
      const std::uint64_t time = 2000 + static_cast<std::uint64_t>(bytes);
      if (!test.has_size && bytes != 64) continue;
      for (const bool in_place : {false, true}) {
        if (in_place && !test.has_size) continue;
        CaseResult one = imb_case(test, bytes, in_place ? 2 * time : time);
        if (in_place) one.params["in_place"] = true;
        one.key = make_key(one.name, one.params);
        cases.push_back(std::move(one));
      }
      if (!test.is_collective()) continue;
      CaseResult started = test::overlapped(test.benchmark, 2, 5 * time, 4 * time, 2 * time);
      if (test.has_size) started.params["bytes"] = bytes;
      if (!test.has_size) started.params.erase("memory");
      started.key = make_key(started.name, started.params);
      cases.push_back(std::move(started));
    }
  }
  return cases;
}

TEST(Printed, ImbTextComesBack) {
  const std::vector<CaseResult> cases = imb_cases();
  const std::string text = text_in_format("imb", cases);
  EXPECT_EQ(text.find("not in this format"), std::string::npos);
  const Taken back = taken(text);
  EXPECT_EQ(back.notes, "");
  EXPECT_EQ(back.run.cases.size(), cases.size());
  EXPECT_EQ(back.run.producer.at("imported_from"), "Scalemark");
  EXPECT_TRUE(back.run.complete);
  for (const CaseResult& one : cases) {
    SCOPED_TRACE(one.key);
    const CaseResult* found = back.find(one.key);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->facts.at("iterations"), Value(std::int64_t{1}));
    // A table has the time of one message of a window.
    if (one.name == "micro/thread_bandwidth") continue;
    const std::string name = one.metrics[0].name;
    const OsuStatistic time = osu_statistic(one.metrics[0]);
    EXPECT_NEAR(median_of(*found, *found->find(name)), time.average, 0.00501e-6);
    EXPECT_EQ(found->find(name)->unit, "s");
    if (found->find(name + "_min") == nullptr) continue;
    EXPECT_NEAR(median_of(*found, *found->find(name + "_min")), time.minimum, 0.00501e-6);
    EXPECT_NEAR(median_of(*found, *found->find(name + "_max")), time.maximum, 0.00501e-6);
  }
  EXPECT_EQ(text_in_format("imb", back.run.cases), text);
}

TEST(Printed, NcclTextIsKnownBelowManyComments) {
  std::vector<CaseResult> cases(
      2000, test::unmeasured("micro/memcpy", 8, Status::skipped, std::string(60, 'x')));
  cases.push_back(nccl_cases().front());
  EXPECT_EQ(taken(text_in_format("nccl", cases)).run.cases.size(), 1U);
}

TEST(Printed, NcclKeepsWhatWasNotMeasured) {
  CaseResult in =
      test::collective("micro/allreduce", 64, {{2000}, {2000}}, {{"in_place", true}}, 64, 1);
  in.verification = {};
  in.key = make_key(in.name, in.params);
  const Taken back = taken(text_in_format("nccl", {in}));
  ASSERT_EQ(back.run.cases.size(), 1U);
  EXPECT_EQ(back.run.cases[0].key, in.key);
  EXPECT_FALSE(back.run.cases[0].verification.done);
}

TEST(Printed, OfNvbandwidthEveryCopyComesBack) {
  const std::vector<CaseResult> cases = {
      test::copy("h2d", "pinned", 1 << 20, {{20'001, 19'999, 20'003}}),
      test::copy("d2h", "pinned", 1 << 20, {{20'007}}),
      test::copy("h2d", "pinned", 4096, {{700}}, "kernel"),
      test::copy("d2h", "pinned", 4096, {{900}, {1100}}, "kernel"),
      test::copy("d2d", "pageable", 4096, {{800}})};
  const Taken found = taken(text_in_format("nvbandwidth", cases));
  EXPECT_EQ(found.notes, "");
  ASSERT_EQ(found.run.cases.size(), cases.size());
  for (const CaseResult& one : cases) {
    const CaseResult* back = found.find(one.key);
    ASSERT_NE(back, nullptr) << one.key;
    const Metric* rate = back->find("event_bandwidth");
    ASSERT_NE(rate, nullptr) << one.key;
    EXPECT_EQ(rate->unit, "By/s");
    const double want = summarise(one, *one.find("event_bandwidth")).median;
    EXPECT_NEAR(summarise(*back, *rate).median / want, 1, 1e-11) << one.key;
    EXPECT_EQ(back->find("bandwidth"), nullptr) << "which is the host clock's";
  }
}

}  // namespace
}  // namespace scalemark
