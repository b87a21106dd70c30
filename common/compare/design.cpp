// SPDX-License-Identifier: Apache-2.0
// Pairs runs into blocks by job, nodes and start time.
#include "common/compare/design.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "common/base/error.hpp"

namespace scalemark::compare {
namespace {

constexpr std::size_t kMinBlocks = 3, kMinBlocksAsked = 2;

struct Start {
  std::string time;
  bool of_b = false;
  std::size_t place = 0;
  const RunDigest* run = nullptr;
};
using Groups = std::map<std::pair<std::string, std::string>, std::vector<Start>>;

void collect(std::span<const RunDigest> side, bool of_b, bool by_job, Groups& groups) {
  for (std::size_t i = 0; i < side.size(); ++i) {
    const RunDigest& run = side[i];
    groups[{by_job ? run.job : "", run.nodes}].push_back({run.started, of_b, i, &run});
  }
}

/// Fills in the blocks. Returns why pairing is impossible; empty if it is possible.
std::string find_blocks(Groups& groups, bool by_job, std::vector<Block>& blocks) {
  for (auto& [where, starts] : groups) {
    std::ranges::stable_sort(starts, {}, &Start::time);
    for (const Start& one : starts) {
      if (one.time.empty()) return fmt::format("{} has no start time", one.run->label);
      if (where.second.empty()) return fmt::format("{} names no nodes", one.run->label);
      if (by_job && where.first.empty()) return fmt::format("{} has no job id", one.run->label);
    }
    for (std::size_t i = 0; i < starts.size(); i += 2) {
      if (i + 1 == starts.size())
        return fmt::format("{} has no partner on its nodes", starts[i].run->label);
      const Start &first = starts[i], &second = starts[i + 1];
      if (first.of_b == second.of_b) {
        return fmt::format("{} and {} ran one after the other and belong to the same side",
                           first.run->label, second.run->label);
      }
      blocks.push_back({(first.of_b ? second : first).place, (first.of_b ? first : second).place});
    }
  }
  const std::size_t least = by_job ? kMinBlocks : kMinBlocksAsked;
  if (blocks.size() < least) return fmt::format("{} blocks, {} needed", blocks.size(), least);
  return {};
}

}  // namespace

Design design_of(std::span<const RunDigest> a, std::span<const RunDigest> b, Pairing pairing) {
  Design design;
  if (pairing == Pairing::no) return design;
  const bool by_job = pairing == Pairing::automatic;
  Groups groups;
  collect(a, false, by_job, groups);
  collect(b, true, by_job, groups);
  const std::string problem = find_blocks(groups, by_job, design.blocks);
  if (problem.empty()) return design;
  if (pairing == Pairing::yes)
    throw UsageError(
        fmt::format("--paired is \"yes\", but the runs cannot be paired: {}", problem));
  design.blocks.clear();
  return design;
}

}  // namespace scalemark::compare
