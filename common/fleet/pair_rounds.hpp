// SPDX-License-Identifier: Apache-2.0
// Rounds of disjoint pairs of nodes, which measure all nodes of a cluster at once.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace scalemark::fleet {

/// Two nodes that exchange messages, by their numbers; `a` is the smaller one.
struct NodePair {
  std::size_t a = 0, b = 0;
  friend bool operator==(const NodePair&, const NodePair&) = default;
};

/// Pairs without a common node, which are measured at the same time.
using PairRound = std::vector<NodePair>;

/// Rounds after which less than one node in two fleets is expected to have met only slow partners,
/// if 5 % of all nodes are slow: max(3, ceil(ln(2 nodes) / ln 20)). At least three, as far as the
/// tournament has them.
std::size_t screening_rounds(std::size_t nodes);

/// Rounds of a round-robin tournament: nodes - 1, or as many as nodes if their number is odd.
std::size_t tournament_rounds(std::size_t nodes);

/// Round `index` of the round-robin tournament by the circle method (Kirkman 1847); one of an odd
/// number of nodes rests. Over all rounds each pair occurs once.
PairRound tournament_round(std::size_t nodes, std::size_t index);

/// So many rounds of the tournament, spread over it. With `leaves`, the name of each node's switch,
/// the rounds are those that bring the most pairs of switches together which no earlier one did.
std::vector<PairRound> screening(std::size_t nodes, std::size_t rounds,
                                 std::span<const std::string> leaves = {});

/// Rounds in which each suspect meets another of the `proven` nodes, `meetings` times. No two
/// suspects share a partner in a round, so that more suspects than proven nodes take more rounds.
/// Fewer meetings where there are fewer proven nodes.
std::vector<PairRound> confirmation(std::span<const std::size_t> suspects,
                                    std::span<const std::size_t> proven, std::size_t meetings);

/// The pairs in as few rounds as taking each into the first that has none of its nodes makes.
std::vector<PairRound> disjoint_rounds(std::span<const NodePair> pairs);

}  // namespace scalemark::fleet
