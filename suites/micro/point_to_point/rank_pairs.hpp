// SPDX-License-Identifier: Apache-2.0
// Pairing of ranks in point-to-point benchmarks.
#pragma once

#include <utility>
#include <vector>

#include "common/core/peaks/link_use.hpp"

namespace scalemark::micro {

/// The partner of `rank` when all pairs run at once, as in OSU: rank i of the first half with rank
/// i of the second. `ranks` is even.
int partner_across(int rank, int ranks);

/// Whether the rank is in the first half, which sends first.
bool is_first_half(int rank, int ranks);

/// All pairs of `ranks` ranks, in rounds of disjoint pairs. An even number gives ranks - 1 rounds.
/// An odd number gives `ranks` rounds, with one idle rank each (circle method of round-robin
/// tournaments, Kirkman 1847).
using RoundsOfPairs = std::vector<std::vector<std::pair<int, int>>>;
RoundsOfPairs rounds_of_pairs(int ranks);

/// The active pairs: with `all` every pair in rounds, else one round with the pairs across the
/// halves.
RoundsOfPairs working_pairs(int ranks, bool all);

/// Maximum over rounds of the bytes that the busiest end of a link carries in one direction. The
/// first rank of each pair sends `bytes` to the second, which sends `back`.
double busiest_round(const RoundsOfPairs& rounds, double bytes, double back, Ends ends);

}  // namespace scalemark::micro
