// SPDX-License-Identifier: Apache-2.0
// Which rows of which runs a prediction takes.
#include "common/cli/commands/predict_rows.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "tests/common/store/example.hpp"
#include "tests/common/store/write_run.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class PredictRows : public ::testing::Test {
 protected:
  /// Writes a run of eight ranks, four on a node, with one case each of these numbers of ranks.
  std::string write(const std::string& name, const std::vector<int>& ranks,
                    const std::string& cpu_model = "a", const std::string& gpu_model = "A100") {
    scalemark::Run run = test::example_run(0);
    run.uuid = name;
    run.planned.clear();
    run.environment.common["cpu_model"] = cpu_model;
    run.environment.common["gpu_model"] = gpu_model;
    run.ranks.clear();
    for (int rank = 0; rank < 8; ++rank) {
      RankInfo info;
      info.rank = rank;
      info.node = fmt::format("n{}", rank / 4);
      run.ranks.push_back(info);
    }
    for (const int one : ranks) {
      CaseResult result = test::example_case(run.cases.size());
      result.name = "micro/allreduce";
      result.params = {{"bytes", std::int64_t{64}}, {"ranks", std::int64_t{one}}};
      result.key = make_key(result.name, result.params);
      run.planned.push_back(result.key);
      run.cases.push_back(result);
    }
    const std::string path = (folder_ / (name + ".h5")).string();
    test::write_run(path, run);
    return path;
  }
  static std::vector<CollectiveRows> read(const std::vector<std::string>& paths) {
    return read_collective_rows(paths, "micro/allreduce", {});
  }

 private:
  test::TempDir folder_;
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

}  // namespace
}  // namespace scalemark::cli
