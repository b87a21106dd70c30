// SPDX-License-Identifier: Apache-2.0
// Which ranks of the job take part in a case.
#pragma once

#include <string>
#include <vector>

#include "common/mpi/comm.hpp"

namespace scalemark {

/// Values of an axis `span`: any ranks, in their order; those of rank 0's node; one of every node.
std::vector<std::string> rank_spans();

/// World ranks that take part, rank 0 first; as many as there are, where `count` is more.
/// `node_of_rank`: any number that is the same for the ranks of a node.
std::vector<int> select_ranks(const std::vector<int>& node_of_rank, const std::string& span,
                              int count);

/// Why `span` does not have `count` ranks, in one line, where it has `available`.
std::string why_too_few(const std::string& span, int count, int available);

/// Values of an axis `grouping`: groups of ranks that follow each other, or each of every nth rank.
std::vector<std::string> rank_groupings();

/// A rank's place where `ranks` are divided into groups of equal size.
struct GroupPlace {
  int group = 0, rank = 0;  ///< the group's number, and the rank's in it
  int size = 1;             ///< of each group
};

/// `groups` divides `ranks`. As NCCL_TESTS_SPLIT of nccl-tests: `blocks` is its DIV, by the size of
/// a group; `strided` its MOD, by their number.
GroupPlace place_in_group(int rank, int ranks, int groups, const std::string& grouping);

/// Ranks with a communicator of their own.
struct RankGroup {
  std::string id;  ///< equal for the same ranks only
  std::vector<int> world_ranks;
  mpi::Comm comm;  ///< invalid on ranks that do not take part
};

}  // namespace scalemark
