// SPDX-License-Identifier: Apache-2.0
// Step 3 of placement: divides the cores of a NUMA node among its ranks.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "common/hardware/placement/placement_steps.hpp"

namespace scalemark::hardware {
namespace {

using Cores = std::vector<const UsableCore*>;

void give(RankPlacement& rank, const UsableCore& core) {
  rank.cpus.insert(rank.cpus.end(), core.cpus.begin(), core.cpus.end());
  ++rank.num_cores;
}

/// Gives each rank a contiguous block of cores. All blocks have the same size, at most `limit`;
/// leftover cores stay unused. With fewer cores than ranks, ranks share cores.
void divide(const Cores& cores, const std::vector<RankPlacement*>& ranks, std::size_t limit) {
  const std::size_t each = std::min(cores.size() / ranks.size(), limit);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    for (std::size_t k = 0; k < each; ++k) give(*ranks[i], *cores[i * each + k]);
    if (each > 0) continue;
    give(*ranks[i], *cores[i * cores.size() / ranks.size()]);
    add_note(*ranks[i], fmt::format("{} ranks on {} core{}", ranks.size(), cores.size(),
                                    cores.size() == 1 ? "" : "s"));
  }
}

/// Unequal numbers of cores get a note, because the rank with the fewest cores slows down the
/// others.
void note_unequal_shares(std::vector<RankPlacement>& ranks) {
  const int least = std::ranges::min(ranks, {}, &RankPlacement::num_cores).num_cores;
  for (RankPlacement& rank : ranks) {
    if (rank.num_cores > least)
      add_note(rank, fmt::format("{} cores, while another rank has {}", rank.num_cores, least));
  }
}

}  // namespace

std::size_t Usable::num_cores(int node) const {
  return static_cast<std::size_t>(std::ranges::count(cores, node, &UsableCore::numa));
}

Usable usable_part(const Machine& machine) {
  Usable usable{&machine, {}, {}};
  for (const Core& core : machine.cores) {
    if (std::ranges::find(machine.numa, core.numa, &NumaNode::index) == machine.numa.end())
      continue;
    UsableCore one{core.numa, {}};
    for (const int cpu : core.cpus) {
      if (std::ranges::binary_search(machine.allowed, cpu)) one.cpus.push_back(cpu);
    }
    if (!one.cpus.empty()) usable.cores.push_back(std::move(one));
  }
  for (const NumaNode& node : machine.numa) {
    if (usable.num_cores(node.index) > 0) usable.nodes.push_back(&node);
  }
  return usable;
}

void divide_nodes(const Usable& usable, std::vector<RankPlacement>& ranks) {
  std::map<int, std::vector<RankPlacement*>> members;
  bool beside_gpus = false;
  for (RankPlacement& rank : ranks) {
    members[rank.numa].push_back(&rank);
    beside_gpus = beside_gpus || gpu_node(*usable.machine, rank) >= 0;
  }
  // With GPUs, all cores of a node serve the ranks placed there, so ranks of a node with fewer
  // ranks get more cores. Without GPUs, all ranks get the same number of cores.
  std::size_t limit = usable.cores.size();
  for (const auto& [node, its_ranks] : members) {
    if (!beside_gpus)
      limit = std::min(limit, std::max<std::size_t>(1, usable.num_cores(node) / its_ranks.size()));
  }
  for (const auto& [node, its_ranks] : members) {
    Cores local;
    for (const UsableCore& core : usable.cores) {
      if (core.numa == node) local.push_back(&core);
    }
    divide(local, its_ranks, limit);
  }
  note_unequal_shares(ranks);
}

void pack(const Usable& usable, std::vector<RankPlacement>& ranks) {
  // The first node with a core for every rank. If there is none, ranks get one core each, in the
  // machine's order.
  const auto home = std::ranges::find_if(usable.nodes, [&](const NumaNode* node) {
    return usable.num_cores(node->index) >= ranks.size();
  });
  Cores cores;
  for (const UsableCore& core : usable.cores) {
    if (home == usable.nodes.end() || core.numa == (*home)->index) cores.push_back(&core);
  }
  std::vector<RankPlacement*> all;
  for (RankPlacement& rank : ranks) all.push_back(&rank);
  divide(cores, all, home == usable.nodes.end() ? 1 : cores.size());
  for (RankPlacement& rank : ranks) {
    const auto first = std::ranges::find(usable.cores, rank.cpus.front(),
                                         [](const UsableCore& core) { return core.cpus.front(); });
    rank.numa = first->numa;
  }
}

}  // namespace scalemark::hardware
