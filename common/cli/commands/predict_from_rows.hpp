// SPDX-License-Identifier: Apache-2.0
// `scalemark predict --from`: what a collective takes on other numbers of ranks, from measured
// rows.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace scalemark::cli {

struct RowPrediction {
  std::vector<std::string> files;    ///< result files, parts folders, and folders of them
  std::vector<std::string> machine;  ///< the same of another machine; empty: none
  std::string workload;              ///< "micro/allreduce"
  std::vector<std::string> axes;     ///< "ranks=64", "bytes=1M", "backend=mpi"
  double level = 0.9;                ///< of the intervals
  std::filesystem::path page;        ///< to write instead of printing; empty = none
  bool force = false;                ///< replace an earlier page
};

/// Prints a line for each number of ranks and size asked for, as "text" or "json", or writes the
/// page. Returns the exit code. Throws UsageError for another workload and for axes without
/// `ranks`, InputError as the reader.
int predict_from_rows(const RowPrediction& request, const std::string& format);

}  // namespace scalemark::cli
