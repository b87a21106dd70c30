// SPDX-License-Identifier: Apache-2.0
// How long trainings pause at the start of epochs and before tests, by NUMA node.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "common/result/model.hpp"

namespace scalemark::analysis {

/// Pauses of the ranks of one NUMA node, over all epochs.
struct NodePauses {
  std::string node;  ///< host
  int numa = -1;     ///< -1: not known
  std::size_t ranks = 0;
  double median = 0, longest = 0;  ///< s
};
struct PauseTable {
  std::string key;     ///< of the case
  std::string metric;  ///< epoch_start_pause or test_pause
  std::vector<NodePauses> nodes;
};

/// Cases with such metrics whose ranks were on more than one NUMA node.
std::vector<PauseTable> pause_tables(const Run& run);

/// Nothing when there is no table.
void print_pauses(const Run& run, std::ostream& out);

}  // namespace scalemark::analysis
