// SPDX-License-Identifier: Apache-2.0
// Which rows stand for the message of a step.
#include "common/cli/commands/predict_collective.hpp"

#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/cli/commands/predict_rows.hpp"
#include "common/core/benchmark.hpp"
#include "tests/common/cli/collective_runs.hpp"

namespace scalemark::cli {
namespace {

using ::testing::HasSubstr;

constexpr double kBytes = 64;

/// Ranks 2 and 4 are on one node, 6 and 8 on two.
TEST(PredictedMessage, IsThatOfItsOwnRowWithinANode) {
  const CollectiveRuns runs;
  const std::string near = runs.write({.name = "near", .ranks = {2, 4}, .seconds = 1e-5}),
                    far = runs.write({.name = "far", .ranks = {6, 8}, .seconds = 8e-5});
  const Collective collective({near, far}, "micro/allreduce", {});
  for (const int ranks : {2, 4, 6, 8}) {
    const auto found = collective.time(kBytes, ranks);
    ASSERT_TRUE(found) << ranks;
    EXPECT_EQ(found->source, "measured");
    EXPECT_TRUE(found->is_from_rows);
    EXPECT_NEAR(found->seconds, ranks > 4 ? 8e-5 : 1e-5, 1e-12);
  }
  EXPECT_FALSE(collective.time(kBytes, 16)->is_from_rows) << "a form predicts it";
}

/// Four ranks of one node and of four.
TEST(PredictedMessage, IsThatOfTheNodesAskedFor) {
  const CollectiveRuns runs;
  const std::string near = runs.write({.name = "near", .ranks = {2, 4}, .seconds = 1e-5}),
                    far = runs.write(
                        {.name = "far", .ranks = {4}, .ranks_per_node = 1, .seconds = 8e-5});
  const Collective collective({near, far}, "micro/allreduce", {});
  EXPECT_EQ(collective.time(kBytes, 4, 1)->source, "measured on 1 node");
  EXPECT_NEAR(collective.time(kBytes, 4, 1)->seconds, 1e-5, 1e-12);
  EXPECT_EQ(collective.time(kBytes, 4, 4)->source, "measured on 4 nodes");
  EXPECT_NEAR(collective.time(kBytes, 4, 4)->seconds, 8e-5, 1e-12);
  EXPECT_EQ(collective.time(kBytes, 4)->source, "measured on 1 node") << "the fewest";
  EXPECT_FALSE(collective.time(kBytes, 4, 2)) << "no row, and too few for a form";
  EXPECT_FALSE(collective.time(kBytes, 2, 2));
}

/// An allreduce with some of the usual axes. Keys omit blocking, fp32 and false.
const Benchmark& allreduce() {
  static const Benchmark& benchmark =
      Registry::instance()
          .add(Benchmark("test/allreduce", [](Case&) {}))
          .axis("backend", {.values = {"mpi"}})
          .axis("call", {.values = {"blocking", "nonblocking"}, .implied = "blocking"})
          .axis("dtype", {.values = {"fp32", "fp16"}, .implied = "fp32"})
          .axis_integer("bytes", {.defaults = "64"})
          .axis_boolean("in_place", {.implied = false});
  return benchmark;
}

class PredictedKind : public ::testing::Test {
 protected:
  /// Two and four ranks.
  std::string write(const std::string& name, const Point& axes, double seconds = 1e-5) {
    return runs_.write({.name = name,
                        .ranks = {2, 4},
                        .seconds = seconds,
                        .axes = axes,
                        .benchmark = allreduce().name()});
  }
  /// Seconds on four ranks; nothing without rows.
  static std::optional<double> seconds(const std::vector<std::string>& files,
                                       const std::vector<std::string>& words) {
    const auto found = Collective(files, allreduce().name(), words).time(kBytes, 4);
    return found ? std::optional(found->seconds) : std::nullopt;
  }

 private:
  CollectiveRuns runs_;
};

/// Rows of another call, type or place of the result are no rows of a message.
TEST_F(PredictedKind, IsThatOfTheMessage) {
  const std::string usual = write("usual", {{"backend", "mpi"}}, 1e-5),
                    call = write("call", {{"backend", "mpi"}, {"call", "nonblocking"}}, 2e-5),
                    type = write("type", {{"backend", "mpi"}, {"dtype", "fp16"}}, 3e-5),
                    place = write("place", {{"backend", "mpi"}, {"in_place", true}}, 4e-5);
  for (const std::string& other : {call, type, place})
    EXPECT_FALSE(seconds({other}, {"backend=mpi"})) << other;
  const std::vector<std::string> all{call, place, type, usual};
  EXPECT_NEAR(seconds(all, {"backend=mpi"}).value(), 1e-5, 1e-12);
  EXPECT_NEAR(seconds(all, {"backend=mpi", "call=nonblocking"}).value(), 2e-5, 1e-12);
  EXPECT_NEAR(seconds(all, {"dtype=fp16", "backend=mpi"}).value(), 3e-5, 1e-12);
  EXPECT_NEAR(seconds(all, {"backend=mpi", "in_place=true"}).value(), 4e-5, 1e-12);
  EXPECT_FALSE(seconds(all, {"backend=mpi", "in_place=true", "call=nonblocking"}));
}

/// Values that keys omit are there, too, and files that name them have the same rows.
TEST_F(PredictedKind, MayBeNamedByImpliedValues) {
  const std::string omitted = write("omitted", {{"backend", "mpi"}}, 1e-5),
                    named = write("named", {{"backend", "mpi"}, {"call", "blocking"}}, 4e-5);
  EXPECT_NEAR(seconds({omitted}, {"call=blocking", "dtype=fp32", "in_place=false"}).value(), 1e-5,
              1e-12);
  EXPECT_NEAR(seconds({omitted, named}, {}).value(), 2e-5, 1e-12) << "two runs of one case";
  const auto series = read_collective_rows({omitted, named}, allreduce().name(), {"call=blocking"});
  ASSERT_EQ(series.size(), 1U);
  EXPECT_EQ(series[0].key, "test/allreduce backend=mpi");
  EXPECT_EQ(series[0].runs, 2U);
  EXPECT_TRUE(read_collective_rows({omitted}, allreduce().name(), {"call=nonblocking"}).empty());
  EXPECT_TRUE(read_collective_rows({omitted}, allreduce().name(), {"call"}).empty());
}

/// `transfer` is no axis, and a step does not say it.
TEST_F(PredictedKind, IsRefusedWhereRowsDifferInWhatItDoesNotSay) {
  const std::string staged = write("staged", {{"backend", "mpi"}}, 1e-5),
                    direct = write("direct", {{"backend", "mpi"}, {"transfer", "direct"}}, 2e-5);
  EXPECT_NEAR(seconds({direct}, {"backend=mpi"}).value(), 2e-5, 1e-12) << "the only ones";
  EXPECT_NEAR(seconds({staged, direct}, {"backend=mpi", "transfer=direct"}).value(), 2e-5, 1e-12);
  try {
    seconds({staged, direct}, {"backend=mpi"});
    ADD_FAILURE() << "one of them was taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("rows of test/allreduce"));
    EXPECT_THAT(error.what(), HasSubstr("differ in transfer (direct, none)"));
  }
}

}  // namespace
}  // namespace scalemark::cli
