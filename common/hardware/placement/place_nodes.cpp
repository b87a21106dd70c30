// SPDX-License-Identifier: Apache-2.0
// Step 2 of placement: assigns a NUMA node to each rank.
#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "common/hardware/placement/placement_steps.hpp"

namespace scalemark::hardware {
namespace {

/// Index of the NUMA node in machine.numa; machine.numa.size() if there is no such node.
std::size_t position(const Machine& machine, int node) {
  return static_cast<std::size_t>(std::ranges::find(machine.numa, node, &NumaNode::index) -
                                  machine.numa.begin());
}

/// Package of a NUMA node; -1 if there is no such node.
int package_of(const Machine& machine, int node) {
  const std::size_t i = position(machine, node);
  return i < machine.numa.size() ? machine.numa[i].package : -1;
}

std::uint64_t distance(const Machine& machine, int from, int to) {
  const std::size_t i = position(machine, from), j = position(machine, to);
  if (i < machine.distances.size() && j < machine.distances.size()) return machine.distances[i][j];
  if (i == j) return 10;
  // Default distances within a package and between packages.
  return package_of(machine, from) == package_of(machine, to) ? 12 : 20;
}

/// Nodes for ranks without GPUs (near and wrong_socket). First finds the largest number of cores
/// that every rank can have within one node. Then chooses evenly among the blocks of that size.
std::vector<int> in_blocks(const Usable& usable, std::size_t count) {
  const auto places = [&](std::size_t share) {
    std::vector<int> nodes;
    for (const NumaNode* node : usable.nodes)
      nodes.insert(nodes.end(), usable.num_cores(node->index) / share, node->index);
    return nodes;
  };
  std::size_t share = 1;
  for (const NumaNode* node : usable.nodes) share = std::max(share, usable.num_cores(node->index));
  while (share > 1 && places(share).size() < count) --share;
  const std::vector<int> all = places(share);
  std::vector<int> chosen;
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(all[i * all.size() / count]);
  return chosen;
}

/// Nodes for ranks without GPUs (policy spread): packages in turn, for example 0, 4, 1, 5, ... for
/// two packages of four nodes.
std::vector<int> in_turns(const Usable& usable, std::size_t count) {
  std::map<int, std::vector<std::size_t>> packages;
  for (std::size_t i = 0; i < usable.nodes.size(); ++i)
    packages[usable.nodes[i]->package].push_back(i);
  std::vector<std::vector<std::size_t>> groups;
  for (const auto& [package, members] : packages) groups.push_back(members);
  const std::vector<std::size_t> order = take_turns(groups);
  std::vector<int> chosen;
  for (std::size_t i = 0; i < count; ++i)
    chosen.push_back(usable.nodes[order[i % order.size()]]->index);
  return chosen;
}

/// The item half the list away from `own` in the sorted list of distinct items. The mapping is
/// one-to-one, so ranks stay evenly divided.
int opposite(std::vector<int> all, int own) {
  if (std::ranges::find(all, own) == all.end()) all.push_back(own);
  std::ranges::sort(all);
  const auto index = static_cast<std::size_t>(std::ranges::find(all, own) - all.begin());
  return all[(index + all.size() / 2) % all.size()];
}

/// A node far from `home`, for policy wrong_socket: the node at the same position on the opposite
/// package, or with one package the opposite node. Returns `home` if there is no other.
int far_node(const Usable& usable, int home) {
  const Machine& machine = *usable.machine;
  const int package = package_of(machine, home);
  std::vector<int> packages, siblings, others;
  for (const NumaNode* node : usable.nodes) {
    if (std::ranges::find(packages, node->package) == packages.end())
      packages.push_back(node->package);
    siblings.push_back(node->index);
  }
  const int target = opposite(packages, package);
  if (target == package) return opposite(siblings, home);
  for (const NumaNode& node : machine.numa) {
    if (node.package == target) others.push_back(node.index);
  }
  std::size_t place = 0;
  for (const NumaNode& node : machine.numa) {
    if (node.index == home) break;
    if (node.package == package) ++place;
  }
  return others[place % others.size()];
}

/// The preferred node of each rank, whether or not it has room.
std::vector<int> wished_nodes(const Usable& usable, Policy policy,
                              std::vector<RankPlacement>& ranks) {
  std::vector<int> wishes =
      policy == Policy::spread ? in_turns(usable, ranks.size()) : in_blocks(usable, ranks.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (const int node = gpu_node(*usable.machine, ranks[i]); node >= 0)
      wishes[i] = node;
    else if (ranks[i].gpu >= 0 && usable.machine->numa.size() > 1)
      add_note(ranks[i], fmt::format("the NUMA node of GPU {} is unknown", ranks[i].gpu));
  }
  return wishes;
}

/// Finds a node for ranks whose preferred node is full or not allowed: the nearest one with room.
/// Among equally near nodes it is the one with most room per core.
class Settler {
 public:
  Settler(const Usable& usable, std::size_t count) : usable_(usable) {
    const std::size_t cores = usable.cores.size();
    ranks_per_core_ = (count + cores - 1) / cores;
  }

  std::size_t room(int node) const {
    const auto used = used_.find(node);
    return usable_.num_cores(node) * ranks_per_core_ - (used == used_.end() ? 0 : used->second);
  }
  void take(int node) { ++used_[node]; }

  /// `avoided`: a package that is used only if no other has room; -1 for none.
  int nearest(int wish, int avoided) const {
    const auto cost = [&](const NumaNode* node) {
      return std::tuple(room(node->index) == 0, node->package == avoided,
                        distance(*usable_.machine, wish, node->index),
                        -static_cast<double>(room(node->index)) /
                            static_cast<double>(usable_.num_cores(node->index)));
    };
    const auto less = [&](const NumaNode* a, const NumaNode* b) { return cost(a) < cost(b); };
    return (*std::ranges::min_element(usable_.nodes, less))->index;
  }

 private:
  const Usable& usable_;
  std::size_t ranks_per_core_;
  std::map<int, std::size_t> used_;
};

void settle(const Usable& usable, const std::vector<int>& wishes, const std::vector<int>& avoided,
            std::vector<RankPlacement>& ranks) {
  Settler settler(usable, ranks.size());
  std::vector<std::size_t> homeless;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (settler.room(wishes[i]) == 0) {
      homeless.push_back(i);
      continue;
    }
    ranks[i].numa = wishes[i];
    settler.take(wishes[i]);
  }
  for (const std::size_t i : homeless) {
    ranks[i].numa = settler.nearest(wishes[i], avoided[i]);
    settler.take(ranks[i].numa);
    const std::size_t cores = usable.num_cores(wishes[i]);
    add_note(ranks[i],
             cores == 0
                 ? fmt::format("no core of NUMA node {} is allowed, node {} is the nearest",
                               wishes[i], ranks[i].numa)
                 : fmt::format("NUMA node {} has only {} core{}, node {} is the nearest with room",
                               wishes[i], cores, cores == 1 ? "" : "s", ranks[i].numa));
  }
}

}  // namespace

void assign_nodes(const Usable& usable, Policy policy, std::vector<RankPlacement>& ranks) {
  std::vector<int> wishes = wished_nodes(usable, policy, ranks);
  std::vector<int> avoided(ranks.size(), -1);
  const std::vector<int> homes = wishes;
  if (policy == Policy::wrong_socket) {
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      wishes[i] = far_node(usable, homes[i]);
      avoided[i] = package_of(*usable.machine, homes[i]);
    }
  }
  settle(usable, wishes, avoided, ranks);
  if (policy != Policy::wrong_socket) return;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i].numa == homes[i])
      add_note(ranks[i], "wrong_socket is impossible: no core of another NUMA node is free");
    else if (package_of(*usable.machine, ranks[i].numa) == avoided[i])
      add_note(ranks[i], "no core of another package is free, so another NUMA node of this one");
  }
}

}  // namespace scalemark::hardware
