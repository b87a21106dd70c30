// SPDX-License-Identifier: Apache-2.0
// Placement of the ranks of a node in three steps: GPUs, NUMA nodes, cores (docs/placement.md).
#include "common/hardware/placement/placement.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/hardware/placement/placement_steps.hpp"

namespace scalemark::hardware {
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

void add_note(RankPlacement& rank, const std::string& text) {
  rank.note += (rank.note.empty() ? "" : "; ") + text;
}

int gpu_node(const Machine& machine, const RankPlacement& rank) {
  return rank.gpu >= 0 ? machine.gpus[static_cast<std::size_t>(rank.gpu)].numa : -1;
}

std::vector<RankPlacement> place(const Machine& machine, const PlacementRequest& request) {
  std::vector<RankPlacement> ranks(static_cast<std::size_t>(std::max(request.local_ranks, 1)));
  for (RankPlacement& rank : ranks) rank.on_this_system = machine.this_system;
  assign_gpus(machine, request, ranks);
  if (request.policy == Policy::none) return ranks;
  const Usable usable = usable_part(machine);
  if (usable.nodes.empty()) {
    for (RankPlacement& rank : ranks) add_note(rank, "no allowed core is known");
    return ranks;
  }
  if (request.policy == Policy::packed) {
    pack(usable, ranks);
  } else {
    assign_nodes(usable, request.policy, ranks);
    divide_nodes(usable, ranks);
  }
  for (RankPlacement& rank : ranks) std::ranges::sort(rank.cpus);
  return ranks;
}

}  // namespace scalemark::hardware
