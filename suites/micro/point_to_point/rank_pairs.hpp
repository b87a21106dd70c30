// SPDX-License-Identifier: Apache-2.0
// Pairing of ranks in point-to-point benchmarks.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/core/peaks/link_use.hpp"
#include "common/fleet/pair_rounds.hpp"

namespace scalemark::micro {

/// The partner of `rank` when all pairs run at once, as in OSU: rank i of the first half with rank
/// i of the second. `ranks` is even.
int partner_across(int rank, int ranks);

/// Whether the rank is in the first half, which sends first.
bool is_first_half(int rank, int ranks);

/// All pairs of `ranks` ranks, in the rounds of a tournament (fleet::tournament_round()).
using RoundsOfPairs = std::vector<std::vector<std::pair<int, int>>>;
RoundsOfPairs rounds_of_pairs(int ranks);

/// The pairs of axis `pairs`: adjacent is one round with the pairs across the halves, all has every
/// pair, screening a few rounds of all that say which ranks are slow (fleet::screening_rounds()).
RoundsOfPairs working_pairs(int ranks, const std::string& pairs);

/// Rounds of a fleet's nodes as those of ranks.
RoundsOfPairs rounds_of_ranks(const std::vector<fleet::PairRound>& rounds);

/// Maximum over rounds of the bytes that the busiest end of a link carries in one direction. The
/// first rank of each pair sends `bytes` to the second, which sends `back`.
double busiest_round(const RoundsOfPairs& rounds, double bytes, double back, Ends ends);

}  // namespace scalemark::micro
