// SPDX-License-Identifier: Apache-2.0
// What is written comes back, whole or in parts.
#include <cmath>
#include <cstdint>
#include <fstream>
#include <functional>
#include <limits>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/store/h5/h5.hpp"
#include "common/store/parts.hpp"
#include "common/store/reader.hpp"
#include "common/store/writer.hpp"
#include "tests/common/store/equal.hpp"
#include "tests/common/store/example.hpp"
#include "tests/common/store/write_run.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark {
namespace {

using test::example_case;
using test::example_run;
using test::write_run;
using ::testing::ElementsAre;

class RoundTrip : public ::testing::Test {
 protected:
  void TearDown() override {
    EXPECT_EQ(H5Fget_obj_count(static_cast<hid_t>(H5F_OBJ_ALL), H5F_OBJ_ALL), 0)
        << "HDF5 ids are left open";
  }
  test::TempDir folder_;
};

TEST_F(RoundTrip, EveryFieldComesBack) {
  auto run = example_run();
  for (std::size_t i = 0; i < 3; ++i) run.cases.push_back(example_case(i));
  run.cases[1].facts = {
      {"images_seen", 100}, {"loss", 0.1}, {"set", "mnist"}, {"real", true}, {"tiny", 5e-324}};
  run.cases[1].params["pin_memory"] = false;
  run.cases[1].key = run.planned[1] = make_key(run.cases[1].name, run.cases[1].params);
  run.cases[2].status = Status::oom;
  run.cases[2].reason = "needs 4 GiB";
  run.cases[2].metrics.clear();
  write_run(folder_ / "a.h5", run);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a.h5.parts"));
  test::expect_equal(read_run(folder_ / "a.h5"), run);
}

TEST_F(RoundTrip, AnEmptyRunComesBack) {
  auto run = scalemark::Run{};
  run.complete = true;
  run.stopped = "2026-01-31T12:03:00.000Z";
  run.uuid = "u";
  write_run(folder_ / "a.h5", run);
  test::expect_equal(read_run(folder_ / "a.h5"), run);
}

TEST_F(RoundTrip, PartsReadLikeTheFile) {
  auto run = example_run();
  FileSink sink({.output = folder_ / "a.h5"});
  sink.begin(run);
  sink.add(example_case(2));
  sink.add(example_case(0));
  run.cases = {example_case(0), example_case(2)};
  run.complete = false;
  run.stopped = run.exit_reason = "";
  test::expect_equal(read_run(folder_ / "a.h5.parts"), run);
}

TEST_F(RoundTrip, WithoutSamplesTheShapeRemains) {
  auto run = example_run(1);
  run.cases = {example_case(0)};
  write_run(folder_ / "a.h5", run);
  const auto read = read_run(folder_ / "a.h5", {.samples = false});
  const Samples& samples = read.cases.at(0).find("latency")->samples;
  EXPECT_EQ(samples.ranks, 2U);
  EXPECT_EQ(samples.iterations, 5U);
  EXPECT_TRUE(std::get<std::vector<std::uint64_t>>(samples.values).empty());
}

TEST_F(RoundTrip, ManyRanksAndIterations) {
  auto run = example_run(1);
  CaseResult result = example_case(0);
  Samples& samples = result.metrics[1].samples;
  samples = {};
  samples.ranks = 130;
  samples.iterations = 2500;
  std::vector<std::uint64_t> values;
  for (std::uint64_t i = 0; i < 130U * 2500U; ++i)
    values.push_back(1000000 + (i * 2654435761U) % 4096);
  samples.values = values;
  samples.scale = 1e-9;
  samples.warmup.assign(2500, 0);
  samples.warmup[0] = 1;
  run.cases = {result};
  write_run(folder_ / "a.h5", run);
  test::expect_equal(read_run(folder_ / "a.h5"), run);
  // 12 random bits of 64: shuffle and deflate must take most of the rest away.
  EXPECT_LT(std::filesystem::file_size(folder_ / "a.h5"), values.size() * 3);
}

TEST_F(RoundTrip, LongTablesAreCompressed) {
  auto run = example_run(1);
  CaseResult result = example_case(0);
  std::vector<std::uint64_t> time;
  std::vector<std::string> node;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    time.push_back(i * 100'000'000);
    node.push_back("node" + std::to_string(i % 8));
  }
  result.tables = {{"telemetry/node", {{{"time", "ns", time}, {"node", "", node}}}}};
  run.cases = {result};
  write_run(folder_ / "a.h5", run);
  test::expect_equal(read_run(folder_ / "a.h5"), run);
  EXPECT_LT(std::filesystem::file_size(folder_ / "a.h5"), 500'000U);
}

TEST_F(RoundTrip, TablesThatHaveNoPlaceAreRefusedByTheWriter) {
  const Column one{"a", "", std::vector<std::uint64_t>{1}};
  const Column two{"b", "", std::vector<std::uint64_t>{1, 2}};
  const std::vector<std::pair<std::string, Table>> wrong = {
      {"cases", {}},      {"telemetry/../cases", {}}, {"telemetry/a/b", {}},
      {"telemetry/", {}}, {"profile", {{one, two}}},  {"profile", {{{"a b", "", one.values}}}}};
  for (const auto& [name, table] : wrong) {
    CaseResult result = example_case(0);
    result.tables = {{name, table}};
    FileSink sink({.output = folder_ / "a.h5", .force = true});
    sink.begin(example_run(1));
    EXPECT_THROW(sink.add(result), Error) << name;
  }
}

/// Else HDF5 would read beyond the end of a vector.
TEST_F(RoundTrip, SamplesThatDoNotFillTheirShapeAreRefusedByTheWriter) {
  const std::vector<std::function<void(Samples&)>> faults = {
      [](Samples& samples) { std::get<std::vector<std::uint64_t>>(samples.values).pop_back(); },
      [](Samples& samples) { samples.warmup.resize(samples.iterations - 1, 0); },
      [](Samples& samples) { samples.flags.resize(samples.iterations + 1, 0); },
      [](Samples& samples) { samples.t0.assign(samples.iterations + 1, 0); }};
  for (std::size_t i = 0; i < faults.size(); ++i) {
    CaseResult result = example_case(0);
    Metric latency = test::example_latency();
    faults[i](latency.samples);
    result.metrics = {latency};
    FileSink sink({.output = folder_ / "a.h5", .force = true});
    sink.begin(example_run(1));
    EXPECT_THROW(sink.add(result), Error) << i;
  }
}

TEST_F(RoundTrip, NumbersThatAreNoneComeBack) {
  auto run = example_run(1);
  CaseResult result = example_case(0);
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               inf = std::numeric_limits<double>::infinity();
  result.metrics[2].samples.values = std::vector<double>{nan, -inf, 5e-324};
  run.cases = {result};
  write_run(folder_ / "a.h5", run);
  const auto values = std::get<std::vector<double>>(
      read_run(folder_ / "a.h5").cases.at(0).find("accuracy")->samples.values);
  EXPECT_TRUE(std::isnan(values[0]));
  EXPECT_EQ(values[1], -inf);
  EXPECT_EQ(values[2], 5e-324);
}

TEST_F(RoundTrip, ARateWithoutItsDurationIsLeftOut) {
  auto run = example_run(1);
  CaseResult result = example_case(0);
  result.status = Status::failed;
  result.metrics = {test::example_rate("latency"), test::example_ratio()};
  run.cases = {result};
  write_run(folder_ / "a.h5", run);
  const CaseResult read = read_run(folder_ / "a.h5").cases.at(0);
  ASSERT_EQ(read.metrics.size(), 1U);
  EXPECT_EQ(read.metrics[0].name, "accuracy");
}

TEST_F(RoundTrip, ManyCasesStaySmallAndFast) {
  const auto run = example_run(60);
  FileSink sink({.output = folder_ / "a.h5"});
  sink.begin(run);
  for (std::size_t i = 0; i < 60; ++i) {
    CaseResult result = example_case(i % 60);
    result.tables.clear();
    result.index = i;
    sink.add(result);
  }
  sink.end(run);
  EXPECT_EQ(read_run(folder_ / "a.h5").cases.size(), 60U);
  // HDF5's own layout takes 17 kB a case of this kind; the header of this file holds 200 kB of
  // text, which are compressed. Digests are 1.2 kB a case.
  EXPECT_LT(std::filesystem::file_size(folder_ / "a.h5"), 60U * 9800U + 20'000U);
}

TEST_F(RoundTrip, TextsOfTheEnvironmentCannotBreakTheFile) {
  auto run = example_run(0);
  run.environment.common = {{"a/b", "1"}, {"..", "2"}, {"LONG", std::string(100'000, 'y')}};
  run.environment.differs = {{"x/y", {{"n/0", "1"}, {"n1", "2"}}}, {".", {{"n0", "3"}}}};
  run.environment.raw = {{"tool/sub", "text"}, {".", "dot"}, {"%2F", "percent"}};
  write_run(folder_ / "a.h5", run);
  test::expect_equal(read_run(folder_ / "a.h5"), run);
}

TEST_F(RoundTrip, ControlCharactersAndBrokenTextAreMadeHarmless) {
  auto run = example_run(0);
  run.exit_reason = "a\x1B[31mred\xFF";
  run.config = "tab\tand\nnewline\r\x07";
  write_run(folder_ / "a.h5", run);
  const auto read = read_run(folder_ / "a.h5");
  EXPECT_EQ(read.exit_reason, "a?[31mred?");
  EXPECT_EQ(read.config, "tab\tand\nnewline??");
}

TEST_F(RoundTrip, FindRunsTakesFilesPartsAndFolders) {
  const auto run = example_run(0);
  write_run(folder_ / "b.h5", run);
  write_run(folder_ / "a.h5", run);
  std::filesystem::copy(folder_ / "a.h5", folder_ / "c.h5");
  std::filesystem::create_directory(folder_ / "empty");
  std::ofstream(folder_ / "notes.txt") << "x";
  {
    FileSink sink({.output = folder_ / "d.h5"});
    sink.begin(run);
  }
  // Parts beside their finished file: left by a kill after the merge.
  std::filesystem::copy(folder_ / "d.h5.parts", folder_ / "a.h5.parts");
  EXPECT_THAT(find_runs(folder_.path()), ElementsAre(folder_ / "a.h5", folder_ / "b.h5",
                                                     folder_ / "c.h5", folder_ / "d.h5.parts"));
  EXPECT_THAT(find_runs(folder_ / "a.h5"), ElementsAre(folder_ / "a.h5"));
  EXPECT_THAT(find_runs(folder_ / "d.h5.parts"), ElementsAre(folder_ / "d.h5.parts"));
  EXPECT_THROW(find_runs(folder_ / "empty"), InputError);
  EXPECT_THROW(find_runs(folder_ / "none"), InputError);
}

}  // namespace
}  // namespace scalemark
