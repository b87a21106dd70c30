// SPDX-License-Identifier: Apache-2.0
// Choosing ranks by node.
#include "common/core/rank_group.hpp"

#include <numeric>
#include <set>

#include <fmt/format.h>

namespace scalemark {

std::vector<std::string> rank_spans() { return {"any", "node", "nodes"}; }

std::vector<int> select_ranks(const std::vector<int>& node_of_rank, const std::string& span,
                              int count) {
  std::vector<int> ranks;
  std::set<int> nodes;
  for (int rank = 0; rank < static_cast<int>(node_of_rank.size()); ++rank) {
    if (static_cast<int>(ranks.size()) == count) break;
    const int node = node_of_rank[static_cast<std::size_t>(rank)];
    const bool taken = span == "any" || (span == "node" && node == node_of_rank.front()) ||
                       (span == "nodes" && nodes.insert(node).second);
    if (taken) ranks.push_back(rank);
  }
  return ranks;
}

std::vector<std::string> rank_groupings() { return {"blocks", "strided"}; }

GroupPlace place_in_group(int rank, int ranks, int groups, const std::string& grouping) {
  const int size = ranks / groups;
  if (grouping == "strided") return {.group = rank % groups, .rank = rank / groups, .size = size};
  return {.group = rank / size, .rank = rank % size, .size = size};
}

std::string why_too_few(const std::string& span, int count, int available) {
  if (span == "node")
    return fmt::format("needs {} ranks on a node, rank 0's has {}", count, available);
  if (span == "nodes") return fmt::format("needs {} nodes, the job has {}", count, available);
  return fmt::format("needs {} ranks, the job has {}", count, available);
}

}  // namespace scalemark
