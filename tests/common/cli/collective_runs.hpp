// SPDX-License-Identifier: Apache-2.0
// Files of made-up runs of a collective, for tests of what predictions take from them.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/common/store/example.hpp"
#include "tests/common/store/write_run.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark::cli {

/// Eight ranks, and a case of 64 bytes for each of `ranks`.
struct CollectiveRun {
  std::string name;
  std::vector<int> ranks;
  int ranks_per_node = 4;
  double seconds = 1e-5;  ///< of each case
  Point axes = {};        ///< other axes of all cases
  std::string benchmark = "micro/allreduce";
  std::string cpu_model = "a", gpu_model = "A100", mpi_library = "Open MPI v5.0.7";
};

class CollectiveRuns {
 public:
  /// Returns the path of the file.
  std::string write(const CollectiveRun& wanted) const {
    Run run = test::example_run(0);
    run.uuid = wanted.name;
    run.planned.clear();
    run.environment.common["cpu_model"] = wanted.cpu_model;
    run.environment.common["gpu_model"] = wanted.gpu_model;
    run.environment.common["mpi_library"] = wanted.mpi_library;
    run.ranks.clear();
    for (int rank = 0; rank < 8; ++rank) {
      RankInfo info;
      info.rank = rank;
      info.node = fmt::format("n{}", rank / wanted.ranks_per_node);
      run.ranks.push_back(info);
    }
    for (const int ranks : wanted.ranks) {
      run.cases.push_back(case_of(wanted, ranks, run.cases.size()));
      run.planned.push_back(run.cases.back().key);
    }
    const std::string path = (folder_ / (wanted.name + ".h5")).string();
    test::write_run(path, run);
    return path;
  }

 private:
  static CaseResult case_of(const CollectiveRun& wanted, int ranks, std::size_t index) {
    CaseResult result = test::example_case(index);
    result.name = wanted.benchmark;
    result.params = wanted.axes;
    result.params["bytes"] = std::int64_t{64};
    result.params["ranks"] = std::int64_t{ranks};
    result.key = make_key(result.name, result.params);
    Metric latency = test::example_latency();
    latency.samples = Samples();
    latency.samples.ranks = latency.samples.iterations = 1;
    latency.samples.values =
        std::vector<std::uint64_t>{static_cast<std::uint64_t>(std::llround(wanted.seconds * 1e12))};
    latency.samples.scale = 1e-12;
    result.metrics = {latency};
    return result;
  }

  test::TempDir folder_;
};

}  // namespace scalemark::cli
