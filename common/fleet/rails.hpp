// SPDX-License-Identifier: Apache-2.0
// Rails: ranks of the same number on their hosts, which exchange messages with each other alone.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "common/fleet/node_verdict.hpp"

namespace scalemark::fleet {

/// Ranks of a job, in order. Where each GPU has a network card of its own, and each rank a GPU, the
/// k-th ranks of all hosts use the k-th cards.
using Rail = std::vector<std::size_t>;

/// Rail k has the k-th rank of each host that has more than k. `hosts` has the host of each rank.
std::vector<Rail> rails(std::span<const std::string> hosts);

/// All ranks as one rail.
Rail whole_job(std::size_t ranks);

/// Rounds of pairs of numbers within the rail, as rounds of pairs of ranks.
std::vector<PairRound> on_rail(const Rail& rail, std::vector<PairRound> rounds);

/// The times of pairs of the rail's ranks, with their numbers within it.
std::vector<PairTime> within_rail(const Rail& rail, std::span<const PairTime> times);

}  // namespace scalemark::fleet
