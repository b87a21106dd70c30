// SPDX-License-Identifier: Apache-2.0
// Placement in three steps: a GPU for each rank, a NUMA node for each rank, the node's cores
// divided.
#include "common/topology/placement.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace scalemark::topology {
namespace {

const std::vector<std::pair<Policy, std::string>>& policy_names() {
  static const std::vector<std::pair<Policy, std::string>> names = {
      {Policy::near, "near"},
      {Policy::spread, "spread"},
      {Policy::packed, "packed"},
      {Policy::wrong_socket, "wrong_socket"},
      {Policy::none, "none"}};
  return names;
}

void add_note(RankPlacement& rank, const std::string& text) {
  rank.note += (rank.note.empty() ? "" : "; ") + text;
}

/// A core with the threads of it that may be used.
struct UsableCore {
  int numa;
  CpuSet cpus;
};

std::vector<UsableCore> usable_cores(const Machine& machine) {
  std::vector<UsableCore> cores;
  for (const Core& core : machine.cores) {
    UsableCore one{core.numa, {}};
    for (const int cpu : core.cpus) {
      if (std::ranges::binary_search(machine.allowed, cpu)) one.cpus.push_back(cpu);
    }
    if (!one.cpus.empty()) cores.push_back(std::move(one));
  }
  return cores;
}

/// NUMA nodes that have at least one usable core, in the machine's order.
std::vector<const NumaNode*> usable_nodes(const Machine& machine,
                                          const std::vector<UsableCore>& cores) {
  std::vector<const NumaNode*> nodes;
  for (const NumaNode& node : machine.numa) {
    if (std::ranges::any_of(cores, [&](const UsableCore& core) { return core.numa == node.index; }))
      nodes.push_back(&node);
  }
  return nodes;
}

std::uint64_t distance(const Machine& machine, int from, int to) {
  const auto place = [&](int index) {
    const auto found = std::ranges::find(machine.numa, index, &NumaNode::index);
    return found == machine.numa.end() ? machine.numa.size()
                                       : static_cast<std::size_t>(found - machine.numa.begin());
  };
  const std::size_t i = place(from), j = place(to);
  if (i < machine.distances.size() && j < machine.distances.size()) return machine.distances[i][j];
  if (i == j) return 10;
  const bool same_package = i < machine.numa.size() && j < machine.numa.size() &&
                            machine.numa[i].package == machine.numa[j].package;
  return same_package ? 12 : 20;  // the kernel's defaults within and between packages
}

int nearest_node(const Machine& machine, const std::vector<const NumaNode*>& nodes, int wanted) {
  const NumaNode* best = nodes.front();
  for (const NumaNode* node : nodes) {
    if (distance(machine, wanted, node->index) < distance(machine, wanted, best->index))
      best = node;
  }
  return best->index;
}

/// Rank i gets GPU i, more ranks than GPUs take turns. `spread` skips GPUs evenly when there are
/// fewer ranks.
void assign_gpus(const Machine& machine, const PlacementRequest& request,
                 std::vector<RankPlacement>& ranks) {
  std::vector<int> visible = request.visible_gpus;
  if (request.all_gpus) {
    for (const Gpu& gpu : machine.gpus) visible.push_back(gpu.index);
  }
  if (visible.empty()) return;
  const std::size_t gpus = visible.size(), count = ranks.size();
  std::vector<std::size_t> users(gpus, 0);
  for (std::size_t i = 0; i < count; ++i) {
    const bool skip = request.policy == Policy::spread && count < gpus;
    const std::size_t chosen = skip ? i * gpus / count : i % gpus;
    ranks[i].visible_gpu = static_cast<int>(chosen);
    ranks[i].gpu = visible[chosen];
    ++users[chosen];
  }
  for (RankPlacement& rank : ranks) {
    const std::size_t others = users[static_cast<std::size_t>(rank.visible_gpu)] - 1;
    if (others > 0)
      add_note(rank, fmt::format("shares GPU {} with {} other rank{}", rank.gpu, others,
                                 others == 1 ? "" : "s"));
  }
}

/// The node that is deliberately far: another package's, else another NUMA node of the same
/// package.
int far_node(const Machine& machine, const std::vector<const NumaNode*>& nodes, int near) {
  const auto self = std::ranges::find(machine.numa, near, &NumaNode::index);
  const int package = self == machine.numa.end() ? 0 : self->package;
  std::vector<int> others;
  for (const NumaNode* node : nodes) {
    if (node->package != package) others.push_back(node->index);
  }
  if (others.empty()) {
    for (const NumaNode* node : nodes) {
      if (node->index != near) others.push_back(node->index);
    }
  }
  if (others.empty()) return -1;
  // Nodes of a package mirror those of the other, so that ranks stay evenly divided.
  std::size_t position = 0;
  for (const NumaNode& node : machine.numa) {
    if (node.package == package && node.index < near) ++position;
  }
  return others[position % others.size()];
}

/// Nodes with packages taking turns: 0, 4, 1, 5, ... for two packages of four.
std::vector<int> interleaved(const std::vector<const NumaNode*>& nodes) {
  std::map<int, std::vector<int>> by_package;
  for (const NumaNode* node : nodes) by_package[node->package].push_back(node->index);
  std::vector<int> order;
  for (std::size_t i = 0; order.size() < nodes.size(); ++i) {
    for (const auto& [package, members] : by_package) {
      if (i < members.size()) order.push_back(members[i]);
    }
  }
  return order;
}

void assign_nodes(const Machine& machine, const PlacementRequest& request,
                  const std::vector<const NumaNode*>& nodes, std::vector<RankPlacement>& ranks) {
  const std::vector<int> turns = interleaved(nodes);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    RankPlacement& rank = ranks[i];
    const int gpu_node = rank.gpu >= 0 ? machine.gpus[static_cast<std::size_t>(rank.gpu)].numa : -1;
    if (gpu_node >= 0) {
      rank.numa = gpu_node;
    } else if (request.policy == Policy::spread) {
      rank.numa = turns[i % turns.size()];
    } else {
      // Blocks of neighbouring ranks fill the nodes evenly.
      rank.numa = nodes[i * nodes.size() / ranks.size() % nodes.size()]->index;
    }
    if (request.policy == Policy::wrong_socket) {
      const int far = far_node(machine, nodes, rank.numa);
      if (far >= 0)
        rank.numa = far;
      else
        add_note(rank, "wrong_socket is impossible: only one NUMA node can be used");
    }
    if (std::ranges::none_of(nodes,
                             [&](const NumaNode* node) { return node->index == rank.numa; })) {
      const int wanted = rank.numa;
      rank.numa = nearest_node(machine, nodes, wanted);
      add_note(rank, fmt::format("no core of NUMA node {} is allowed, node {} is the nearest",
                                 wanted, rank.numa));
    }
  }
}

void give(RankPlacement& rank, const UsableCore& core) {
  rank.cpus.insert(rank.cpus.end(), core.cpus.begin(), core.cpus.end());
  ++rank.num_cores;
}

/// Divides `cores` among `ranks` in contiguous, equal blocks; cores that are over stay unused, so
/// that all ranks have the same number. Fewer cores than ranks: they share.
void divide(const std::vector<const UsableCore*>& cores, const std::vector<RankPlacement*>& ranks) {
  const std::size_t each = cores.size() / ranks.size();
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    for (std::size_t k = 0; k < each; ++k) give(*ranks[i], *cores[i * each + k]);
    if (each > 0) continue;
    give(*ranks[i], *cores[i * cores.size() / ranks.size()]);
    add_note(*ranks[i], fmt::format("{} ranks on {} core{}", ranks.size(), cores.size(),
                                    cores.size() == 1 ? "" : "s"));
  }
}

void divide_nodes(const std::vector<UsableCore>& cores, std::vector<RankPlacement>& ranks) {
  std::map<int, std::vector<RankPlacement*>> by_node;
  for (RankPlacement& rank : ranks) by_node[rank.numa].push_back(&rank);
  for (auto& [node, members] : by_node) {
    std::vector<const UsableCore*> local;
    for (const UsableCore& core : cores) {
      if (core.numa == node) local.push_back(&core);
    }
    divide(local, members);
  }
}

/// Side by side from the first core on, on as few NUMA nodes as hold all ranks.
void pack(const std::vector<UsableCore>& cores, const std::vector<const NumaNode*>& nodes,
          std::vector<RankPlacement>& ranks) {
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const NumaNode* node : nodes) {
    least = std::min(least,
                     static_cast<std::size_t>(std::ranges::count_if(
                         cores, [&](const UsableCore& core) { return core.numa == node->index; })));
  }
  const std::size_t each = std::max<std::size_t>(1, least / ranks.size());
  std::vector<const UsableCore*> chosen;
  for (std::size_t i = 0; i < std::min(each * ranks.size(), cores.size()); ++i)
    chosen.push_back(&cores[i]);
  std::vector<RankPlacement*> all;
  for (RankPlacement& rank : ranks) all.push_back(&rank);
  divide(chosen, all);
  for (RankPlacement& rank : ranks) {
    const auto home = std::ranges::find_if(
        cores, [&](const UsableCore& core) { return core.cpus.front() == rank.cpus.front(); });
    rank.numa = home->numa;
  }
}

}  // namespace

std::string_view to_string(Policy policy) {
  for (const auto& [known, name] : policy_names()) {
    if (known == policy) return name;
  }
  return "near";
}

Policy policy_from(std::string_view given) {
  std::vector<std::string> names;
  for (const auto& [policy, name] : policy_names()) {
    if (name == given) return policy;
    names.push_back(name);
  }
  throw UsageError(fmt::format("--placement has no value '{}'{}; allowed: {}",
                               text::printable(given, 80), text::did_you_mean(given, names),
                               text::join(names, ", ")));
}

std::vector<RankPlacement> place(const Machine& machine, const PlacementRequest& request) {
  std::vector<RankPlacement> ranks(static_cast<std::size_t>(std::max(request.local_ranks, 1)));
  assign_gpus(machine, request, ranks);
  const std::vector<UsableCore> cores = usable_cores(machine);
  const std::vector<const NumaNode*> nodes = usable_nodes(machine, cores);
  if (request.policy == Policy::none || nodes.empty()) return ranks;
  if (request.policy == Policy::packed) {
    pack(cores, nodes, ranks);
  } else {
    assign_nodes(machine, request, nodes, ranks);
    divide_nodes(cores, ranks);
  }
  for (RankPlacement& rank : ranks) std::ranges::sort(rank.cpus);
  return ranks;
}

}  // namespace scalemark::topology
