// SPDX-License-Identifier: Apache-2.0
// Algorithms of collectives as rounds of messages.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace scalemark::predict {

/// What a rank does in a round: sends a message, receives one, or both at once. Both are over
/// before its next round. -1: no peer.
struct Exchange {
  int to = -1, from = -1;
  std::uint64_t sent = 0;  ///< bytes
};

/// Rounds of all ranks. What a rank receives in a round was sent in the same round of its peer.
struct Schedule {
  int ranks = 0;
  int rounds = 0;
  std::function<Exchange(int round, int rank)> exchange;
};

/// Messages of all ranks.
std::uint64_t messages_of(const Schedule& schedule);

inline constexpr int kMaxRanks = 1 << 20;

/// Names of the algorithms, such as allreduce_ring.
const std::vector<std::string>& algorithms();

/// `bytes` is the message size as OSU defines it for the operation: one rank's part of allgather
/// and alltoall, else the whole. Throws UsageError for an unknown name, and for ranks below 1 or
/// above kMaxRanks.
///   allreduce_ring                 2 (p - 1) rounds of bytes / p
///   allreduce_rabenseifner         recursive halving, then recursive doubling
///   allreduce_recursive_doubling   log2 p rounds of all bytes
///   allgather_ring, reduce_scatter_ring   p - 1 rounds
///   broadcast_binomial             a tree of depth log2 p, from rank 0
///   barrier_dissemination          log2 p rounds of empty messages
///   alltoall_pairwise              p - 1 rounds
/// Where p is no power of two, rabenseifner and recursive_doubling first fold the surplus ranks
/// into their neighbours, as MPICH does (Thakur, Rabenseifner, Gropp 2005).
Schedule make_schedule(const std::string& algorithm, int ranks, std::uint64_t bytes);

}  // namespace scalemark::predict
