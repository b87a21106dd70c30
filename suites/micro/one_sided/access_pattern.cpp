// SPDX-License-Identifier: Apache-2.0
// Patterns of accesses: targets in the order of their distance, and the slots they leave free.
#include "suites/micro/one_sided/access_pattern.hpp"

#include <algorithm>

#include "common/base/error.hpp"

namespace scalemark::micro {
namespace {

/// Rank 0 has a slot for each of the others, in their order, or each of these has one for rank 0.
RankAccesses between_one_and_all(int rank, int ranks, bool one_accesses) {
  if (rank > 0 && one_accesses) return {.targets = {}, .accessors = {0}};
  if (rank > 0) return {.targets = {{0, static_cast<std::size_t>(rank - 1)}}, .accessors = {}};
  RankAccesses found;
  for (int other = 1; other < ranks; ++other)
    if (one_accesses)
      found.targets.push_back({other, 0});
    else
      found.accessors.push_back(other);
  return found;
}

}  // namespace

std::vector<std::string> access_patterns() {
  return {"one_to_all", "all_to_one", "all_to_all", "neighbors"};
}

RankAccesses accesses_of(const std::string& pattern, int rank, int ranks) {
  const auto at_distance = [=](int distance) { return (rank + distance + ranks) % ranks; };
  if (pattern == "one_to_all" || pattern == "all_to_one")
    return between_one_and_all(rank, ranks, pattern == "one_to_all");
  if (pattern == "neighbors") {
    const int before = at_distance(-1), next = at_distance(1);
    // The rank before is accessed by its next one, in the second slot.
    return {.targets = {{before, 1}, {next, 0}}, .accessors = {before, next}};
  }
  if (pattern != "all_to_all") throw UsageError("no pattern of accesses is called " + pattern);
  RankAccesses found;
  for (int distance = 1; distance < ranks; ++distance) {
    found.targets.push_back({at_distance(distance), static_cast<std::size_t>(distance - 1)});
    found.accessors.push_back(at_distance(-distance));
  }
  return found;
}

// Rank 0 may be the only one that accesses or is accessed, or that does not or is not.

std::size_t slots_of(const std::string& pattern, int ranks) {
  const auto slots = [&](int rank) { return accesses_of(pattern, rank, ranks).accessors.size(); };
  return std::max(slots(0), slots(1));
}

std::size_t pieces_of(const std::string& pattern, int ranks) {
  const auto targets = [&](int rank) { return accesses_of(pattern, rank, ranks).targets.size(); };
  return slots_of(pattern, ranks) + std::max(targets(0), targets(1));
}

}  // namespace scalemark::micro
