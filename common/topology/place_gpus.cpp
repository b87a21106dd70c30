// SPDX-License-Identifier: Apache-2.0
// First step of a placement: a GPU for each rank.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "common/topology/placement_steps.hpp"

namespace scalemark::topology {
namespace {

/// A GPU as CUDA counts it.
struct Visible {
  int index;  ///< CUDA's
  int gpu;    ///< index into Machine::gpus
};

std::vector<Visible> usable_gpus(const Machine& machine, const PlacementRequest& request) {
  std::vector<Visible> gpus;
  const std::size_t count = request.all_gpus ? machine.gpus.size() : request.visible_gpus.size();
  for (std::size_t i = 0; i < count; ++i) {
    const int gpu = request.all_gpus ? static_cast<int>(i) : request.visible_gpus[i];
    if (gpu >= 0 && static_cast<std::size_t>(gpu) < machine.gpus.size())
      gpus.push_back({static_cast<int>(i), gpu});
  }
  return gpus;
}

/// Items of 0..count-1 with equal keys, in order of first appearance.
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

/// Neighbouring ranks on different packages, and within a package on different NUMA nodes.
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
  std::vector<Visible> gpus = usable_gpus(machine, request);
  if (gpus.empty()) return;
  if (request.policy == Policy::spread) gpus = far_apart(machine, gpus);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::size_t chosen = i % gpus.size();
    ranks[i].visible_gpu = gpus[chosen].index;
    ranks[i].gpu = gpus[chosen].gpu;
    const std::size_t users = (ranks.size() - chosen + gpus.size() - 1) / gpus.size();
    if (users > 1)
      add_note(ranks[i], fmt::format("shares GPU {} with {} other rank{}", ranks[i].gpu, users - 1,
                                     users == 2 ? "" : "s"));
  }
}

}  // namespace scalemark::topology
