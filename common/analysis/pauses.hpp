// SPDX-License-Identifier: Apache-2.0
// How long training pauses at the start of an epoch and before a test, per NUMA node.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "common/result/model.hpp"

namespace scalemark::analysis {

/// Pauses of the ranks on one NUMA node over all epochs.
struct NodePauses {
  std::string node;  ///< host
  int numa = -1;     ///< -1 = unknown
  std::size_t ranks = 0;
  double median = 0, longest = 0;  ///< s
};
/// Pauses of one case.
struct PauseTable {
  std::string key;     ///< key of the case
  std::string metric;  ///< epoch_start_pause or test_pause
  std::vector<NodePauses> nodes;
};

/// Tables of all successful cases that have these metrics and ran on more than one NUMA node.
std::vector<PauseTable> pause_tables(const Run& run);

/// Prints the tables; nothing if there are none.
void print_pauses(const Run& run, std::ostream& out);

}  // namespace scalemark::analysis
