// SPDX-License-Identifier: Apache-2.0
// On which nodes a trace shows cases and epochs of a run that --resume moved.
#include <map>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/formats/export.hpp"
#include "common/result/places.hpp"

namespace scalemark::formats {
namespace {

using nlohmann::json;

RankInfo rank_on(int rank, const char* node) {
  RankInfo info;
  info.rank = rank;
  info.node = node;
  return info;
}

CaseResult training(std::size_t index, const char* started, const char* stopped) {
  CaseResult result;
  result.index = index;
  result.name = "imaging/train";
  result.key = "imaging/train seed=" + std::to_string(index);
  result.started = started;
  result.stopped = stopped;
  Metric epochs;
  epochs.name = "epoch_time";
  epochs.unit = "s";
  epochs.samples.ranks = 2;
  epochs.samples.iterations = 1;
  epochs.samples.values = std::vector<std::uint64_t>{100, 100};
  epochs.samples.scale = 1e-3;
  result.metrics = {epochs};
  return result;
}

json traced(const scalemark::Run& run) {
  std::ostringstream out;
  const auto sink = make_export("trace", {}, {out, [](const std::string&) {}});
  scalemark::Run header = run;
  header.cases.clear();
  sink->begin(header);
  for (const CaseResult& one : run.cases) sink->add(one);
  sink->end(run);
  return json::parse(out.str()).at("traceEvents");
}

/// The argument of the events of a category, in order.
std::vector<std::string> arguments(const json& events, const char* category, const char* name) {
  std::vector<std::string> found;
  for (const json& event : events) {
    if (event.value("cat", "") == category) found.push_back(event.at("args").at(name));
  }
  return found;
}

TEST(Trace, NamesTheNodesOfEachCase) {
  scalemark::Run run;
  run.created = "2026-01-31T12:00:00.000Z";
  run.ranks = {rank_on(0, "n0"), rank_on(1, "n1")};
  CaseResult moved = training(1, "2026-01-31T12:00:02.000Z", "2026-01-31T12:00:03.000Z");
  moved.tables[kPlacesTable] = places_table({rank_on(0, "n0"), rank_on(1, "n2")});
  CaseResult first = training(0, "2026-01-31T12:00:01.000Z", "2026-01-31T12:00:02.000Z");
  run.cases = {first, moved};
  const json events = traced(run);
  EXPECT_EQ(arguments(events, "case", "nodes"), (std::vector<std::string>{"n0 n1", "n0 n2"}));
  EXPECT_EQ(arguments(events, "epoch", "node"), (std::vector<std::string>{"n0", "n1", "n0", "n2"}));
  std::vector<std::string> lines;
  for (const json& event : events) {
    if (event.at("name") == "thread_name") lines.push_back(event.at("args").at("name"));
  }
  EXPECT_EQ(lines, (std::vector<std::string>{"cases", "rank 0 on n0", "rank 1 on n1, then n2",
                                             "iterations of rank 0"}));
}

/// A training that began 1 s after its launch, in ns since the launch.
TEST(Trace, PlacesWhatRanksDidWhereTheyDidIt) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  using Counts = std::vector<std::uint64_t>;
  scalemark::Run run;
  run.created = "2026-01-31T12:00:00.000Z";
  run.ranks = {rank_on(0, "n0"), rank_on(1, "n1")};
  run.cases = {training(0, "2026-01-31T12:00:01.000Z", "2026-01-31T12:00:09.000Z")};
  run.cases[0].tables["phases"] = {{{"phase", "", std::vector<std::string>{"train", "done"}},
                                    {"t", "ns", Counts{kSecond, 9 * kSecond}}}};
  run.cases[0].tables["timeline"] = {
      {{"rank", "", Counts{0, 1, 1, 1, 1}},
       {"what", "",
        std::vector<std::string>{"epoch", "epoch", "epoch_start_pause", "test", "step"}},
       {"index", "", Counts{1, 1, 1, 1, 4}},
       {"t", "ns", Counts{2 * kSecond, 3 * kSecond, 3 * kSecond, 7 * kSecond, 4 * kSecond}},
       {"duration", "ns", Counts{kSecond, 3 * kSecond, kSecond / 2, 90 * kSecond, 5}}}};
  std::map<std::string, json> found;
  for (const json& event : traced(run)) {
    if (event.value("tid", 0) == 2 && event.at("ph") == "X") found[event.at("name")] = event;
  }
  ASSERT_EQ(found.size(), 4U);
  const double began = found["epoch 1"].at("ts").get<double>() - 2e6;  // 3 s since the launch
  EXPECT_NEAR(found["epoch 1"].at("dur").get<double>(), 3e6, 1e-3);
  EXPECT_EQ(found["epoch 1"].at("args").at("node"), "n1");
  EXPECT_EQ(found["pause before epoch 1"].at("cat"), "pause");
  EXPECT_NEAR(found["pause before epoch 1"].at("dur").get<double>(), 5e5, 1e-3);
  EXPECT_NEAR(found["step 4"].at("ts").get<double>() - began, 3e6, 1e-3);
  EXPECT_EQ(found["test after epoch 1"].at("cat"), "test");
  EXPECT_NEAR(found["test after epoch 1"].at("dur").get<double>(), 2e6, 1e-3)
      << "not beyond the end of its case";
}

}  // namespace
}  // namespace scalemark::formats
