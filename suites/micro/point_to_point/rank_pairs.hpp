// SPDX-License-Identifier: Apache-2.0
// Pairing of ranks in point-to-point benchmarks.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/core/case.hpp"
#include "common/core/peaks/link_use.hpp"
#include "common/fleet/pair_rounds.hpp"
#include "common/fleet/rails.hpp"

namespace scalemark::micro {

/// The partner of `rank` when all pairs run at once, as in OSU: rank i of the first half with rank
/// i of the second. `ranks` is even.
int partner_across(int rank, int ranks);

/// Whether the rank is in the first half, which sends first.
bool is_first_half(int rank, int ranks);

/// All pairs of `ranks` ranks, in the rounds of a tournament (fleet::tournament_round()).
using RoundsOfPairs = std::vector<std::vector<std::pair<int, int>>>;
RoundsOfPairs rounds_of_pairs(int ranks);

/// Whether axis `pairs` is `screening` of all ranks, or `rails`.
bool is_screening(const std::string& pairs);

/// Where the ranks of a case run, by rank.
struct RankPlaces {
  std::vector<std::string> hosts;   ///< without a name where `pairs` does not depend on it
  std::vector<std::string> leaves;  ///< the switch above each host; empty if it is not known
};

/// Of the ranks of a case. Collective for a screening. Throws InputError if `--topology` lacks a
/// host.
RankPlaces places_of(const Case& c, const std::string& pairs);

/// Ranks that a screening compares with each other: those of each rail, or all of them.
std::vector<fleet::Rail> screened_rails(const std::string& pairs, const RankPlaces& places);

/// The pairs of axis `pairs`: adjacent is one round with the pairs across the halves, all has every
/// pair, screening a few rounds of all that say which ranks are slow (fleet::screening_rounds()),
/// rails the same of each rail, one rail after the other. Where leaves are known, the rounds of a
/// screening are spread over them.
RoundsOfPairs working_pairs(const std::string& pairs, const RankPlaces& places);

/// Rounds of a fleet's nodes as those of ranks.
RoundsOfPairs rounds_of_ranks(const std::vector<fleet::PairRound>& rounds);

/// Maximum over rounds of the bytes that the busiest end of a link carries in one direction. The
/// first rank of each pair sends `bytes` to the second, which sends `back`.
double busiest_round(const RoundsOfPairs& rounds, double bytes, double back, Ends ends);

}  // namespace scalemark::micro
