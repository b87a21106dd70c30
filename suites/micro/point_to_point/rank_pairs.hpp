// SPDX-License-Identifier: Apache-2.0
// Who talks to whom in point-to-point benchmarks.
#pragma once

#include <utility>
#include <vector>

#include "common/core/peaks/link_use.hpp"

namespace scalemark::micro {

/// The partner of `rank` when all work at once, as OSU pairs them: rank i of the first half with
/// the i-th of the second. `ranks` is even.
int partner_across(int rank, int ranks);

/// Whether the rank is of the half that sends first.
bool is_first_half(int rank, int ranks);

/// All pairs of `ranks` ranks, in rounds of pairs that are disjoint: ranks - 1 rounds, or as many
/// as ranks if they are odd, when one rests in each (the circle method of round-robin tournaments,
/// Kirkman 1847).
using RoundsOfPairs = std::vector<std::vector<std::pair<int, int>>>;
RoundsOfPairs rounds_of_pairs(int ranks);

/// The pairs that work: all of them in their rounds, or in one round those across the halves.
RoundsOfPairs working_pairs(int ranks, bool all);

/// Bytes that the busiest end of a link carries one way in the round where that is most, when the
/// first of each pair sends `bytes` to the second, and `back` come back.
double busiest_round(const RoundsOfPairs& rounds, double bytes, double back, Ends ends);

}  // namespace scalemark::micro
