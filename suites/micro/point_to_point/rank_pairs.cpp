// SPDX-License-Identifier: Apache-2.0
// Pairing of ranks for point-to-point benchmarks.
#include "suites/micro/point_to_point/rank_pairs.hpp"

#include <algorithm>
#include <cstddef>

namespace scalemark::micro {

int partner_across(int rank, int ranks) {
  const int half = ranks / 2;
  return rank < half ? rank + half : rank - half;
}

bool is_first_half(int rank, int ranks) { return rank < ranks / 2; }

RoundsOfPairs rounds_of_ranks(const std::vector<fleet::PairRound>& rounds) {
  RoundsOfPairs of_ranks;
  for (const fleet::PairRound& round : rounds) {
    auto& pairs = of_ranks.emplace_back();
    for (const fleet::NodePair& pair : round)
      pairs.emplace_back(static_cast<int>(pair.a), static_cast<int>(pair.b));
  }
  return of_ranks;
}

RoundsOfPairs rounds_of_pairs(int ranks) {
  const auto count = static_cast<std::size_t>(ranks);
  return rounds_of_ranks(fleet::screening(count, fleet::tournament_rounds(count)));
}

RoundsOfPairs working_pairs(int ranks, const std::string& pairs) {
  const auto count = static_cast<std::size_t>(ranks);
  if (pairs == "all") return rounds_of_pairs(ranks);
  if (pairs == "screening")
    return rounds_of_ranks(fleet::screening(count, fleet::screening_rounds(count)));
  RoundsOfPairs one(1);
  for (int rank = 0; is_first_half(rank, ranks); ++rank)
    one.front().emplace_back(rank, partner_across(rank, ranks));
  return one;
}

double busiest_round(const RoundsOfPairs& rounds, double bytes, double back, Ends ends) {
  double most = 0;
  for (const auto& pairs : rounds) {
    std::vector<Flow> flows;
    for (const auto& [first, second] : pairs) {
      flows.push_back({first, second, bytes});
      flows.push_back({second, first, back});
    }
    most = std::max(most, busiest_end(flows, ends));
  }
  return most;
}

}  // namespace scalemark::micro
