// SPDX-License-Identifier: Apache-2.0
// The measured rows of a collective that a prediction is made from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "common/predict/collective_form.hpp"
#include "common/result/model.hpp"
#include "common/result/point.hpp"

namespace scalemark::cli {

/// Rows that differ in their sizes and numbers of ranks only.
struct CollectiveRows {
  std::string key;  ///< of the cases, without `bytes` and `ranks`
  Point point;      ///< the same, with implied values
  bool has_sizes = false;
  std::vector<predict::CollectiveTime> times;  ///< geometric means over runs on as many nodes
  std::size_t runs = 0;                        ///< that have such rows
  /// Standard deviation of the logarithm of one run's times; 0 where no row was repeated.
  double run_deviation = 0;
  /// The most nodes that the ranks of a row were on; 0: unknown. Above 1: of each row.
  int nodes = 0;
  /// Of one node, beside such of several: only for forms of two levels.
  std::vector<predict::CollectiveTime> one_node;
};

/// Nodes that the first so many ranks of a run were on; 0: not known.
int nodes_of(const Run& run, std::int64_t ranks);

/// Standard deviation of values around the mean of their group; 0 where no group has two.
double pooled_deviation(const std::vector<std::vector<double>>& groups);

/// By what a prediction is divided and multiplied for its interval of `level`. `half_width` is that
/// of the errors, as a logarithm. Rows are means or medians over runs; a new run scatters around
/// them by `run_deviation`.
double interval_factor(double half_width, double run_deviation, double level);

/// The numbers of ranks among measured times.
std::set<int> ranks_in(const std::vector<predict::CollectiveTime>& times);

/// Whether a point has all of these words ("backend=mpi"). It needs its implied values: keys omit
/// them.
bool has_words(const Point& point, const std::vector<std::string>& words);

/// Reads the rows of `benchmark` ("micro/allreduce") that have all of `wanted` ("backend=mpi").
/// Where a series has rows of several nodes, those of one node stand apart: its ranks share memory.
/// Throws InputError for runs of different machines and of the software GPU.
std::vector<CollectiveRows> read_collective_rows(const std::vector<std::string>& paths,
                                                 const std::string& benchmark,
                                                 const std::vector<std::string>& wanted);

}  // namespace scalemark::cli
