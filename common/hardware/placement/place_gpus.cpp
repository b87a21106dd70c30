// SPDX-License-Identifier: Apache-2.0
// Step 1 of placement: assigns a GPU to each rank.
#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "common/hardware/placement/placement_steps.hpp"

namespace scalemark::hardware {
namespace {

/// A GPU that a rank may use.
struct Visible {
  int index;  ///< CUDA's index for this rank
  int gpu;    ///< index into Machine::gpus
};

/// The GPUs of `visible` (indices into Machine::gpus), numbered as CUDA does.
std::vector<Visible> usable_gpus(const Machine& machine, const std::vector<int>& visible) {
  std::vector<Visible> gpus;
  for (std::size_t i = 0; i < visible.size(); ++i) {
    if (visible[i] >= 0 && static_cast<std::size_t>(visible[i]) < machine.gpus.size())
      gpus.push_back({static_cast<int>(i), visible[i]});
  }
  return gpus;
}

std::vector<int> visible_to(const Machine& machine, const PlacementRequest& request,
                            std::size_t rank) {
  if (rank < request.visible_by_rank.size()) return request.visible_by_rank[rank];
  if (!request.all_gpus) return request.visible_gpus;
  std::vector<int> all(machine.gpus.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// Groups items with equal keys; groups are in order of first appearance.
template <class Key>
std::vector<std::vector<std::size_t>> groups_by(const std::vector<std::size_t>& items, Key key) {
  std::vector<std::vector<std::size_t>> groups;
  std::map<int, std::size_t> known;
  for (const std::size_t item : items) {
    const auto [place, is_new] = known.emplace(key(item), groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(item);
  }
  return groups;
}

/// Orders GPUs so that neighbours are on different packages, or else on different NUMA nodes.
std::vector<Visible> far_apart(const Machine& machine, const std::vector<Visible>& gpus) {
  const auto node = [&](std::size_t i) {
    return machine.gpus[static_cast<std::size_t>(gpus[i].gpu)].numa;
  };
  const auto package = [&](std::size_t i) {
    const auto found = std::ranges::find(machine.numa, node(i), &NumaNode::index);
    return found == machine.numa.end() ? -1 : found->package;
  };
  std::vector<std::size_t> all(gpus.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  std::vector<std::vector<std::size_t>> packages = groups_by(all, package);
  for (std::vector<std::size_t>& members : packages) members = take_turns(groups_by(members, node));
  std::vector<Visible> result;
  for (const std::size_t i : take_turns(packages)) result.push_back(gpus[i]);
  return result;
}

}  // namespace

std::vector<std::size_t> take_turns(const std::vector<std::vector<std::size_t>>& groups) {
  std::size_t count = 0;
  for (const auto& group : groups) count += group.size();
  std::vector<std::size_t> order;
  for (std::size_t round = 0; order.size() < count; ++round) {
    for (const auto& group : groups) {
      if (round < group.size()) order.push_back(group[round]);
    }
  }
  return order;
}

void assign_gpus(const Machine& machine, const PlacementRequest& request,
                 std::vector<RankPlacement>& ranks) {
  // number of ranks so far, by the GPUs that they may use
  std::map<std::vector<int>, std::size_t> turns;
  std::map<int, std::size_t> users;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::vector<int> visible = visible_to(machine, request, i);
    std::vector<Visible> gpus = usable_gpus(machine, visible);
    if (gpus.empty()) continue;
    if (request.policy == Policy::spread) gpus = far_apart(machine, gpus);
    const Visible& chosen = gpus[turns[visible]++ % gpus.size()];
    ranks[i].visible_gpu = chosen.index;
    ranks[i].gpu = chosen.gpu;
    ++users[chosen.gpu];
  }
  for (RankPlacement& rank : ranks) {
    const std::size_t others = rank.gpu < 0 ? 0 : users[rank.gpu] - 1;
    if (others > 0)
      add_note(rank, fmt::format("shares GPU {} with {} other rank{}", rank.gpu, others,
                                 others == 1 ? "" : "s"));
  }
}

}  // namespace scalemark::hardware
