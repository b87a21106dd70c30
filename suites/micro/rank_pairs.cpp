// SPDX-License-Identifier: Apache-2.0
// Pairs of ranks.
#include "suites/micro/rank_pairs.hpp"

#include <algorithm>

namespace scalemark {

int partner_across(int rank, int ranks) {
  const int half = ranks / 2;
  return rank < half ? rank + half : rank - half;
}

bool is_first_half(int rank, int ranks) { return rank < ranks / 2; }

std::vector<std::vector<std::pair<int, int>>> rounds_of_pairs(int ranks) {
  // The last seat stays, the others go round; with odd ranks it is empty.
  const int seats = ranks + ranks % 2, turning = seats - 1;
  std::vector<std::vector<std::pair<int, int>>> rounds;
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

}  // namespace scalemark
