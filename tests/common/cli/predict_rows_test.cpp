// SPDX-License-Identifier: Apache-2.0
// Which rows of which runs a prediction takes.
#include "common/cli/commands/predict_rows.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "tests/common/cli/collective_runs.hpp"

namespace scalemark::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class PredictRows : public ::testing::Test {
 protected:
  /// Writes a run of eight ranks, four on a node, with one case each of these numbers of ranks.
  std::string write(const std::string& name, const std::vector<int>& ranks,
                    const std::string& cpu_model = "a", const std::string& gpu_model = "A100") {
    return runs_.write(
        {.name = name, .ranks = ranks, .cpu_model = cpu_model, .gpu_model = gpu_model});
  }
  static std::vector<CollectiveRows> read(const std::vector<std::string>& paths) {
    return read_collective_rows(paths, "micro/allreduce", {});
  }

  CollectiveRuns runs_;
};

TEST_F(PredictRows, RunsAreAveraged) {
  const auto series = read({write("one", {2, 4}), write("two", {2, 4})});
  ASSERT_THAT(series, SizeIs(1));
  EXPECT_EQ(series[0].key, "micro/allreduce");
  EXPECT_THAT(series[0].times, SizeIs(2));
  EXPECT_EQ(series[0].runs, 2);
  EXPECT_EQ(series[0].run_deviation, 0);
  EXPECT_EQ(series[0].nodes, 1);
}

TEST_F(PredictRows, RowsOfOneNodeStandApartBesideThoseOfSeveral) {
  const auto series = read({write("one", {2, 4, 6, 8})});
  ASSERT_THAT(series, SizeIs(1));
  EXPECT_EQ(series[0].nodes, 2);
  EXPECT_THAT(series[0].one_node, SizeIs(2));
  EXPECT_EQ(series[0].one_node[1].ranks, 4);
  EXPECT_EQ(series[0].one_node[1].nodes, 1);
  EXPECT_EQ(series[0].times[0].nodes, 2);
  ASSERT_THAT(series[0].times, SizeIs(2));
  EXPECT_EQ(series[0].times[0].ranks, 6);
  EXPECT_EQ(series[0].times[1].ranks, 8);
}

/// Four ranks of one node, twice, and of four nodes: their difference is no variance of runs.
TEST_F(PredictRows, RunsOnOtherNodesAreNoRepetition) {
  const CollectiveRun one{.name = "one", .ranks = {4}, .seconds = 1e-5};
  CollectiveRun again = one, four{.name = "four", .ranks = {4}, .ranks_per_node = 1};
  again.name = "again";
  four.seconds = 8e-5;
  const auto series = read({runs_.write(one), runs_.write(again), runs_.write(four)});
  ASSERT_THAT(series, SizeIs(1));
  EXPECT_EQ(series[0].runs, 3);
  EXPECT_EQ(series[0].nodes, 4);
  EXPECT_EQ(series[0].run_deviation, 0);
  ASSERT_THAT(series[0].times, SizeIs(1));
  EXPECT_EQ(series[0].times[0].nodes, 4);
  EXPECT_NEAR(series[0].times[0].seconds, 8e-5, 1e-12);
  ASSERT_THAT(series[0].one_node, SizeIs(1));
  EXPECT_NEAR(series[0].one_node[0].seconds, 1e-5, 1e-12);
}

TEST_F(PredictRows, MachinesAreNotMixed) {
  const std::string one = write("one", {2});
  for (const std::string& other : {write("cpu", {4}, "b"), write("gpu", {4}, "a", "H200")}) {
    try {
      read({one, other});
      ADD_FAILURE() << other << " was read";
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("is of another machine"));
    }
  }
  EXPECT_THAT(read({one, write("unknown", {4}, "unavailable: no /proc")}), SizeIs(1));
}

TEST_F(PredictRows, MessagesOfTwoLibrariesAreNotMixed) {
  const auto write_over = [&](const char* backend, const char* library) {
    return runs_.write({.name = std::string(backend) + library,
                        .ranks = {2, 4},
                        .axes = {{"backend", std::string(backend)}},
                        .mpi_library = library});
  };
  const std::string one = write_over("mpi", "MPICH 4");
  EXPECT_THROW(read({one, write_over("mpi", "Open MPI v5.0.7")}), InputError);
  EXPECT_THAT(read({one, write_over("nccl", "Open MPI v5.0.7")}), SizeIs(2));
}

}  // namespace
}  // namespace scalemark::cli
