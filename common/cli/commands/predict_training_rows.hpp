// SPDX-License-Identifier: Apache-2.0
// The measured rows of a training that a prediction is made from.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/core/benchmark.hpp"
#include "common/result/point.hpp"

namespace scalemark::cli {

/// One of FSDP's collectives, and the seconds that a rank had computed when it started it and when
/// it needed it.
struct ShardMoments {
  bool is_reduction = false;
  double bytes = 0;  ///< of the whole, over all ranks
  double started = 0, needed = 0;
};

/// A training on so many ranks.
struct MeasuredTraining {
  /// s, the median of the slowest rank, one per run. On another machine empty if not measured.
  std::vector<double> step;
  std::vector<double> local;  ///< s, each step of each rank without communication; may be empty
  std::set<int> nodes = {};   ///< that its runs were on; 0: not known
  double factor = 1;          ///< on another machine: its times are so many times the measured ones
  /// s, of each run: when DDP's buckets were ready, in the order in which they are reduced. May be
  /// empty.
  std::vector<std::vector<double>> ready;
  /// Of each run, in the order of the starts. May be empty.
  std::vector<std::vector<ShardMoments>> sharded;
};

/// The same, as it would be on a machine that computes so many times longer: without steps, which
/// were not measured there, and on unknown nodes.
MeasuredTraining scaled(MeasuredTraining measured, double factor);

/// Rows that differ in their number of ranks only.
struct TrainingRows {
  std::string key;  ///< of the cases, without `ranks`
  Point point;      ///< of one of them, with implied values
  std::string process_group;
  std::map<int, MeasuredTraining> by_ranks;
  bool is_elsewhere = false;  ///< computed for another machine than that of the trainings
};

/// Reads the rows of `benchmark`. Warm-up steps are left out. Throws InputError for runs of
/// different machines and of the software GPU.
std::vector<TrainingRows> read_training_rows(const std::vector<std::string>& paths,
                                             const Benchmark& benchmark);

}  // namespace scalemark::cli
