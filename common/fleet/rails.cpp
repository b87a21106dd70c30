// SPDX-License-Identifier: Apache-2.0
// Divides ranks into rails, and translates their numbers.
#include "common/fleet/rails.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace scalemark::fleet {

std::vector<Rail> rails(std::span<const std::string> hosts) {
  std::vector<Rail> all;
  std::map<std::string, std::size_t> seen;  // ranks of each host
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    const std::size_t number = seen[hosts[rank]]++;
    if (number == all.size()) all.emplace_back();
    all[number].push_back(rank);
  }
  return all;
}

Rail whole_job(std::size_t ranks) {
  Rail all(ranks);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

std::vector<PairRound> on_rail(const Rail& rail, std::vector<PairRound> rounds) {
  for (PairRound& round : rounds)
    for (NodePair& pair : round) pair = {rail.at(pair.a), rail.at(pair.b)};
  return rounds;
}

std::vector<PairTime> within_rail(const Rail& rail, std::span<const PairTime> times) {
  const auto number = [&](std::size_t rank) {
    const auto found = std::ranges::lower_bound(rail, rank);
    const bool is_there = found != rail.end() && *found == rank;
    return is_there ? static_cast<std::size_t>(found - rail.begin()) : rail.size();
  };
  std::vector<PairTime> own;
  for (const PairTime& time : times) {
    const NodePair pair{number(time.nodes.a), number(time.nodes.b)};
    if (pair.a < rail.size() && pair.b < rail.size()) own.push_back({pair, time.seconds});
  }
  return own;
}

}  // namespace scalemark::fleet
