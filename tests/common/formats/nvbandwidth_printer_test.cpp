// SPDX-License-Identifier: Apache-2.0
// nvbandwidth's JSON of copies, made up as their benchmark stores them.
#include <cmath>
#include <cstdint>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/base/version.hpp"
#include "common/formats/make_printer.hpp"
#include "common/print/printer.hpp"
#include "tests/common/formats/copies.hpp"

namespace scalemark {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

struct Printed {
  json root;
  std::string notes;
  json tests() const { return root.at("testcases"); }
  json only() const {
    EXPECT_EQ(tests().size(), 1U) << root.dump(2) << notes;
    return tests().empty() ? json() : tests().at(0);
  }
};

Printed printed(const std::vector<CaseResult>& cases, scalemark::Run run = test::run_of("u", {})) {
  std::ostringstream out;
  testing::internal::CaptureStderr();
  const auto printer = make_printer("nvbandwidth", out, {});
  printer->begin(run);
  for (const CaseResult& one : cases) printer->add(one);
  printer->end(run);
  Printed found{.notes = testing::internal::GetCapturedStderr()};
  found.root = json::parse(out.str()).at("nvbandwidth");
  return found;
}

scalemark::Run run_on_gpus(const std::vector<std::string>& uuids) {
  scalemark::Run run = test::run_of("u", {});
  run.environment.common["gpu_driver"] = "580.1";
  run.ranks.clear();
  for (std::size_t i = 0; i < uuids.size(); ++i) {
    RankInfo rank;
    rank.rank = static_cast<int>(i);
    rank.node = "node1";
    rank.gpu_uuid = uuids[i];
    rank.gpu_model = "NVIDIA H200";
    rank.gpu_pci = "0000:0" + std::to_string(i) + ":00.0";
    run.ranks.push_back(rank);
  }
  return run;
}

TEST(NvbandwidthPrinter, HasTheMembersOfNvbandwidth) {
  const Printed found = printed({test::copy("h2d", "pinned", 1 << 20, {{20'000, 10'000, 40'000}})},
                                run_on_gpus({"GPU-a"}));
  EXPECT_EQ(found.root.at("version"), "scalemark " + std::string(version()));
  EXPECT_EQ(found.root.at("Driver Version"), "580.1");
  EXPECT_EQ(found.root.at("GPU Device list"), json({"0: NVIDIA H200 (0000:00:00.0)"}));
  const json test = found.only();
  EXPECT_EQ(test.at("name"), "host_to_device_memcpy_ce");
  EXPECT_EQ(test.at("status"), "Passed");
  EXPECT_EQ(test.at("bandwidth_description"), "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)");
  EXPECT_EQ(test.at("bandwidth_matrix"), json::array({json::array({"52.4288"})}))
      << "1 MiB in the median of 20 us, by events";
  for (const char* number : {"sum", "min", "max", "average"}) {
    EXPECT_TRUE(test.at(number).is_number()) << number;
    EXPECT_DOUBLE_EQ(test.at(number).get<double>(), 52.4288) << number;
  }
  EXPECT_EQ(found.notes, "");
}

TEST(NvbandwidthPrinter, NamesTheTestsThatMeanTheSame) {
  const auto name = [](const char* direction, const char* host, const char* engine) {
    return printed({test::copy(direction, host, 4096, {{1000}}, engine)}).only().at("name");
  };
  EXPECT_EQ(name("h2d", "pinned", "copy_engine"), "host_to_device_memcpy_ce");
  EXPECT_EQ(name("d2h", "pinned", "copy_engine"), "device_to_host_memcpy_ce");
  EXPECT_EQ(name("h2d", "pinned", "kernel"), "host_to_device_memcpy_sm");
  EXPECT_EQ(name("d2h", "pinned", "kernel"), "device_to_host_memcpy_sm");
  EXPECT_EQ(name("d2d", "pageable", "copy_engine"), "device_local_copy");
  const auto left_out = [](const char* direction, const char* host, const char* engine) {
    const Printed found = printed({test::copy(direction, host, 4096, {{1000}}, engine)});
    EXPECT_EQ(found.tests().size(), 0U) << direction << host << engine;
    return found.notes;
  };
  EXPECT_THAT(left_out("bidirectional", "pinned", "copy_engine"),
              HasSubstr("nvbandwidth has no such test"));
  EXPECT_NE(left_out("h2d", "registered", "copy_engine"), "");
  EXPECT_NE(left_out("h2d", "pageable", "copy_engine"), "");
  EXPECT_NE(left_out("d2d", "pageable", "kernel"), "");
  EXPECT_NE(left_out("h2h", "pinned", "copy_engine"), "");
}

TEST(NvbandwidthPrinter, ACopyWithinAGpuCountsTwice) {
  const json test = printed({test::copy("d2d", "pageable", 1000, {{1000}})}).only();
  EXPECT_EQ(test.at("bandwidth_matrix"), json::array({json::array({"2"})}));
  EXPECT_EQ(test.at("bandwidth_description"), "memcpy local GPU(column) bandwidth (GB/s)");
}

TEST(NvbandwidthPrinter, EveryRankHasACell) {
  const auto two = [](const char* direction, const char* devices = "all") {
    CaseResult one = test::copy(direction, "pinned", 1000, {{1000}, {4000}});
    one.params["devices"] = std::string(devices);
    return one;
  };
  const json test = printed({two("d2h")}, run_on_gpus({"GPU-a", "GPU-b"})).only();
  EXPECT_EQ(test.at("name"), "all_to_host_memcpy_ce");
  EXPECT_EQ(test.at("bandwidth_matrix"), json::array({json::array({"1", "0.25"})}));
  EXPECT_EQ(test.at("sum"), 1.25);
  EXPECT_EQ(test.at("min"), 0.25);
  EXPECT_EQ(test.at("max"), 1);
  EXPECT_EQ(test.at("average"), 0.625);
  EXPECT_EQ(printed({two("h2d")}).only().at("name"), "host_to_all_memcpy_ce");
  EXPECT_THAT(printed({two("h2d", "one")}).notes, HasSubstr("events time all GPUs together"));
  EXPECT_THAT(printed({two("h2d")}, run_on_gpus({"GPU-a", "GPU-a"})).notes,
              HasSubstr("ranks share a GPU"));
  scalemark::Run nodes = run_on_gpus({"GPU-a", "GPU-b"});
  nodes.ranks[1].node = "node2";
  EXPECT_THAT(printed({two("h2d")}, nodes).notes, HasSubstr("several hosts"));
}

TEST(NvbandwidthPrinter, TheLargestSizeHasTheRow) {
  for (const bool largest_last : {false, true}) {
    const Printed found =
        printed({test::copy("h2d", "pinned", largest_last ? 1000 : 4000, {{1000}}),
                 test::copy("h2d", "pinned", largest_last ? 4000 : 1000, {{1000}})});
    EXPECT_EQ(found.only().at("sum"), 4);
    EXPECT_THAT(found.only().at("scalemark_key").get<std::string>(), HasSubstr("bytes=4000"));
    EXPECT_THAT(found.notes, HasSubstr("bytes=1000"));
    EXPECT_THAT(found.notes, Not(HasSubstr("bytes=4000")));
  }
}

TEST(NvbandwidthPrinter, WhatWasNotMeasuredIsWaivedOrAnError) {
  CaseResult skipped = test::copy("h2d", "pinned", 4000, {});
  skipped.metrics.clear();
  skipped.status = Status::skipped;
  skipped.reason = "no CUDA device";
  const json waived = printed({skipped}).only();
  EXPECT_EQ(waived.at("status"), "Waived");
  EXPECT_FALSE(waived.contains("bandwidth_matrix"));
  CaseResult failed = skipped;
  failed.status = Status::failed;
  EXPECT_EQ(printed({failed}).only().at("status"), "Error");
  EXPECT_EQ(printed({failed}).only().at("error"), "no CUDA device");
  EXPECT_EQ(printed({skipped, test::copy("h2d", "pinned", 1000, {{1000}})}).only().at("status"),
            "Passed")
      << "of another size";
  EXPECT_THAT(printed({skipped, test::copy("h2d", "pinned", 1000, {{1000}})}).notes,
              HasSubstr("bytes=4000"));
  CaseResult host_clock = test::copy("h2d", "pinned", 4000, {{1000}});
  std::erase_if(host_clock.metrics, [](const Metric& one) { return one.name != "time"; });
  EXPECT_EQ(printed({host_clock}).tests().size(), 0U);
  EXPECT_THAT(printed({host_clock}).notes, HasSubstr("nothing was measured by events"));
}

TEST(NvbandwidthPrinter, OtherMemoryAndOtherBenchmarksAreNamed) {
  CaseResult remote = test::copy("h2d", "pinned", 4000, {{1000}});
  remote.params["numa"] = std::string("remote");
  EXPECT_THAT(printed({remote}).notes, HasSubstr("memory near the GPU"));
  EXPECT_THAT(printed({test::measured("micro/allreduce", 8, {1000})}).notes,
              HasSubstr("not in this format: micro/allreduce"));
  EXPECT_EQ(printed({}).tests(), json::array());
}

/// All pairs of three GPUs; `value` by source and target.
CaseResult pairs_of_gpus(const std::string& name, const char* column,
                         const std::function<double(int, int)>& value) {
  CaseResult result;
  result.name = name;
  result.params = {{"bytes", std::int64_t{4096}}, {"ranks", std::int64_t{1}}};
  std::vector<std::uint64_t> from, to;
  std::vector<double> values;
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      if (a == b) continue;
      from.push_back(static_cast<std::uint64_t>(a));
      to.push_back(static_cast<std::uint64_t>(b));
      values.push_back(value(a, b));
    }
  }
  result.tables["pairs"] = {
      .columns = {{"from_gpu", "", from}, {"to_gpu", "", to}, {column, "By/s", values}}};
  return result;
}

CaseResult peer_copies(const std::string& operation) {
  CaseResult result = pairs_of_gpus("micro/memcpy", "event_bandwidth",
                                    [](int a, int b) { return (100 * a + b + 1) * 1e9; });
  result.params["direction"] = std::string("peer");
  result.params["host_memory"] = std::string("pageable");
  result.params["pattern"] = std::string("all_pairs");
  result.params["peer_operation"] = operation;
  result.params["peer_access"] = true;
  return result;
}

TEST(NvbandwidthPrinter, ARowOfPairsIsTheGpuThatCopies) {
  const json write = printed({peer_copies("write")}).only();
  EXPECT_EQ(write.at("name"), "device_to_device_memcpy_write_ce");
  EXPECT_EQ(write.at("bandwidth_description"),
            "memcpy CE GPU(row) <- GPU(column) bandwidth (GB/s)");
  EXPECT_EQ(write.at("bandwidth_matrix"),
            json({{"N/A", "2", "3"}, {"101", "N/A", "103"}, {"201", "202", "N/A"}}));
  EXPECT_EQ(write.at("min"), 2);
  EXPECT_EQ(write.at("sum"), 612);
  const json read = printed({peer_copies("read")}).only();
  EXPECT_EQ(read.at("name"), "device_to_device_memcpy_read_ce");
  EXPECT_EQ(read.at("bandwidth_matrix"),
            json({{"N/A", "101", "201"}, {"2", "N/A", "202"}, {"3", "103", "N/A"}}));
}

TEST(NvbandwidthPrinter, OnlyAllPairsByEventsAreNvbandwidths) {
  CaseResult one = peer_copies("write");
  one.params["pattern"] = std::string("one_to_all");
  EXPECT_THAT(printed({one}).notes, HasSubstr("nvbandwidth has no such test"));
  one = peer_copies("write");
  one.params["peer_access"] = false;
  EXPECT_THAT(printed({one}).notes, HasSubstr("nvbandwidth has no such test"));
  one = peer_copies("write");
  one.tables["pairs"].columns[2].name = "bandwidth";
  EXPECT_THAT(printed({one}).notes, HasSubstr("nothing was measured by events"));
  one = peer_copies("write");
  one.tables["pairs"].columns[0].values = std::vector<std::uint64_t>(6, ~std::uint64_t{0} - 1);
  EXPECT_EQ(printed({one}).tests().size(), 0U) << "a damaged table";
}

TEST(NvbandwidthPrinter, LatenciesAreInNanoseconds) {
  CaseResult peers = pairs_of_gpus("micro/memory_latency", "latency",
                                   [](int a, int b) { return (100 * a + b + 1) * 1e-9; });
  peers.params["device"] = std::string("cuda");
  peers.params["place"] = std::string("peer");
  peers.params["host_memory"] = std::string("pageable");
  const json test = printed({peers}).only();
  EXPECT_EQ(test.at("name"), "device_to_device_latency_sm");
  EXPECT_EQ(test.at("bandwidth_matrix").at(1), json({"2", "N/A", "202"}))
      << "a row is the GPU that loads";
  CaseResult host = peers;
  host.tables.clear();
  host.params["place"] = std::string("host");
  host.params["host_memory"] = std::string("pinned");
  host.metrics = {test::durations("load_latency", {{900, 700, 800}})};
  EXPECT_EQ(printed({host}).only().at("name"), "host_device_latency_sm");
  EXPECT_EQ(printed({host}).only().at("bandwidth_matrix"), json::array({json::array({"800"})}));
  host.params["ranks"] = std::int64_t{2};
  EXPECT_THAT(printed({host}).notes, HasSubstr("one GPU at a time"));
  host.params["ranks"] = std::int64_t{1};
  host.params["device"] = std::string("cpu");
  EXPECT_THAT(printed({host}).notes, HasSubstr("nvbandwidth has no such test"));
}

TEST(NvbandwidthPrinter, WarmUpAndWhatIsNoNumberDoNotCount) {
  CaseResult one = test::copy("h2d", "pinned", 1000, {{9000, 8000, 1000}});
  for (Metric& metric : one.metrics) {
    if (metric.kind == MetricKind::duration) metric.samples.warmup = {1, 1, 0};
  }
  EXPECT_EQ(printed({one}).only().at("sum"), 1);
  EXPECT_EQ(printed({test::copy("h2d", "pinned", 1000, {{0, 0}})}).tests().size(), 0U);
  one.metrics.back().numerator = HUGE_VAL;
  EXPECT_EQ(printed({one}).tests().size(), 0U);
}

}  // namespace
}  // namespace scalemark
