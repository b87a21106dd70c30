// SPDX-License-Identifier: Apache-2.0
// Chooses suspects and slow pairs.
#include "common/fleet/second_look.hpp"

#include <algorithm>
#include <iterator>

#include "common/fleet/slow_pairs.hpp"

namespace scalemark::fleet {
namespace {

/// Proven nodes that a suspect meets.
constexpr std::size_t kMeetings = 5;

}  // namespace

std::vector<PairRound> to_confirm(std::size_t nodes, std::span<const PairTime> screened) {
  const Screening result = screen(nodes, screened);
  std::vector<PairRound> rounds = confirmation(result.suspects, result.proven, kMeetings);
  std::vector<NodePair> links;
  for (const SlowPair& slow : slow_pairs(nodes, screened, 1)) links.push_back(slow.nodes);
  std::ranges::move(disjoint_rounds(links), std::back_inserter(rounds));
  return rounds;
}

}  // namespace scalemark::fleet
