// SPDX-License-Identifier: Apache-2.0
// Which ranks measure their clocks against each other, and in which order.
#pragma once

#include <vector>

namespace scalemark::clock {

/// A clock measurement between two ranks, from the view of one of them.
struct Edge {
  int other = 0;
  bool answers = false;  ///< true: `other` measures against this rank's clock
};

/// The measurements of `rank` (of `size` ranks) in order, by the scheme HCA3 (Hunold and
/// Carpen-Amarie, Hierarchical Clock Synchronization in MPI, CLUSTER 2018). With 2^k <= size, rank
/// 0 first gives its time to rank 2^(k-1). Both then give it to the ranks 2^(k-2) above them, and
/// so on. Ranks from 2^k on follow in a last round. A rank always knows the time before it answers,
/// the pairs of a round are disjoint, and each rank is at most k + 1 measurements away from rank 0.
std::vector<Edge> edges_of(int rank, int size);

}  // namespace scalemark::clock
