// SPDX-License-Identifier: Apache-2.0
// Makes rounds of disjoint pairs.
#include "common/fleet/pair_rounds.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace scalemark::fleet {
namespace {

constexpr std::size_t kMinRounds = 3;
constexpr double kSlowShare = 0.05, kExpectedUnproven = 0.5;

NodePair ordered(std::size_t one, std::size_t other) {
  return {std::min(one, other), std::max(one, other)};
}

using LeafPair = std::pair<std::string, std::string>;

std::set<LeafPair> leaf_pairs(const PairRound& round, std::span<const std::string> leaves) {
  std::set<LeafPair> pairs;
  for (const NodePair& pair : round) pairs.insert(std::minmax(leaves[pair.a], leaves[pair.b]));
  return pairs;
}

/// A round of the tournament, and the pairs of leaves that it brings together.
struct Candidate {
  PairRound round;
  std::set<LeafPair> leaves;
};

/// Rounds to choose from: all of a small tournament, and some spread over a large one.
std::vector<Candidate> candidates(std::size_t nodes, std::span<const std::string> leaves) {
  constexpr std::size_t kMax = 64;
  const std::size_t all = tournament_rounds(nodes);
  std::vector<Candidate> some(std::min(all, kMax));
  for (std::size_t i = 0; i < some.size(); ++i) {
    some[i].round = tournament_round(nodes, i * all / some.size());
    some[i].leaves = leaf_pairs(some[i].round, leaves);
  }
  return some;
}

std::vector<PairRound> over_leaves(std::size_t nodes, std::size_t rounds,
                                   std::span<const std::string> leaves) {
  std::vector<Candidate> left = candidates(nodes, leaves);
  std::set<LeafPair> met;
  const auto fresh = [&](const Candidate& one) {
    return std::ranges::count_if(one.leaves,
                                 [&](const LeafPair& pair) { return !met.contains(pair); });
  };
  std::vector<PairRound> chosen;
  while (chosen.size() < rounds) {
    const auto best = std::ranges::max_element(left, {}, fresh);
    chosen.push_back(std::move(best->round));
    met.merge(best->leaves);
    left.erase(best);
  }
  return chosen;
}

}  // namespace

std::size_t screening_rounds(std::size_t nodes) {
  const double needed =
      std::ceil(std::log(static_cast<double>(nodes) / kExpectedUnproven) / -std::log(kSlowShare));
  const std::size_t rounds = std::max(kMinRounds, static_cast<std::size_t>(std::max(0.0, needed)));
  return std::min(rounds, tournament_rounds(nodes));
}

std::size_t tournament_rounds(std::size_t nodes) {
  if (nodes < 2) return 0;
  return nodes % 2 == 0 ? nodes - 1 : nodes;
}

PairRound tournament_round(std::size_t nodes, std::size_t index) {
  // The last place stands still and the others turn; of an odd number of nodes it is empty.
  const std::size_t places = nodes + nodes % 2, turning = places - 1;
  PairRound round;
  if (nodes < 2) return round;
  if (nodes % 2 == 0) round.push_back(ordered(index % turning, turning));
  for (std::size_t i = 1; i < places / 2; ++i)
    round.push_back(ordered((index + i) % turning, (index + turning - i) % turning));
  return round;
}

std::vector<PairRound> screening(std::size_t nodes, std::size_t rounds,
                                 std::span<const std::string> leaves) {
  const std::size_t all = tournament_rounds(nodes);
  rounds = std::min(rounds, all);
  if (leaves.size() == nodes && nodes > 0) return over_leaves(nodes, rounds, leaves);
  std::vector<PairRound> chosen;
  for (std::size_t i = 0; i < rounds; ++i)
    chosen.push_back(tournament_round(nodes, i * all / rounds));
  return chosen;
}

std::vector<PairRound> confirmation(std::span<const std::size_t> suspects,
                                    std::span<const std::size_t> proven, std::size_t meetings) {
  std::vector<PairRound> rounds;
  if (proven.empty()) return rounds;
  meetings = std::min(meetings, proven.size());
  for (std::size_t first = 0; first < suspects.size(); first += proven.size()) {
    const auto group = suspects.subspan(first, std::min(proven.size(), suspects.size() - first));
    // Partners move on by the size of the group, so that they are others for as long as possible.
    const std::size_t stride = std::max<std::size_t>(1, proven.size() / meetings);
    for (std::size_t meeting = 0; meeting < meetings; ++meeting) {
      PairRound round;
      for (std::size_t i = 0; i < group.size(); ++i)
        round.push_back(ordered(group[i], proven[(i + meeting * stride) % proven.size()]));
      rounds.push_back(std::move(round));
    }
  }
  return rounds;
}

std::vector<PairRound> disjoint_rounds(std::span<const NodePair> pairs) {
  std::vector<PairRound> rounds;
  for (const NodePair& pair : pairs) {
    const auto meets = [&](const NodePair& one) {
      return one.a == pair.a || one.a == pair.b || one.b == pair.a || one.b == pair.b;
    };
    auto round = std::ranges::find_if(
        rounds, [&](const PairRound& one) { return std::ranges::none_of(one, meets); });
    if (round == rounds.end()) round = rounds.insert(rounds.end(), PairRound());
    round->push_back(pair);
  }
  return rounds;
}

}  // namespace scalemark::fleet
