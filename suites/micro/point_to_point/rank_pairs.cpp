// SPDX-License-Identifier: Apache-2.0
// Pairing of ranks for point-to-point benchmarks.
#include "suites/micro/point_to_point/rank_pairs.hpp"

#include <algorithm>

namespace scalemark::micro {

int partner_across(int rank, int ranks) {
  const int half = ranks / 2;
  return rank < half ? rank + half : rank - half;
}

bool is_first_half(int rank, int ranks) { return rank < ranks / 2; }

RoundsOfPairs rounds_of_pairs(int ranks) {
  // Circle method: the last seat is fixed, the others rotate. For an odd number of ranks the last
  // seat is empty.
  const int seats = ranks + ranks % 2, turning = seats - 1;
  RoundsOfPairs rounds;
  for (int round = 0; round < turning; ++round) {
    auto& pairs = rounds.emplace_back();
    const auto add = [&](int a, int b) {
      if (a < ranks && b < ranks) pairs.emplace_back(std::min(a, b), std::max(a, b));
    };
    add(round, turning);
    for (int i = 1; i < seats / 2; ++i) add((round + i) % turning, (round - i + turning) % turning);
  }
  return rounds;
}

RoundsOfPairs working_pairs(int ranks, bool all) {
  if (all) return rounds_of_pairs(ranks);
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
