// SPDX-License-Identifier: Apache-2.0
// Who measures its clock against whose, and when.
#pragma once

#include <vector>

namespace scalemark::clock {

/// A measurement between two ranks, as one of them sees it.
struct Edge {
  int other = 0;
  bool answers = false;  ///< this rank's clock is the one that `other` measures itself against
};

/// The measurements that `rank` of `size` takes part in, in its order. The rounds are those of HCA3
/// (Hunold and Carpen-Amarie, Hierarchical Clock Synchronization in MPI, CLUSTER 2018): with 2^k <=
/// size, rank 0 hands its time to 2^(k-1), both to ranks 2^(k-2) further, and so on; ranks from 2^k
/// on come in a last round. So a rank knows the time before it answers, pairs of one round are
/// disjoint, and nobody is more than k + 1 measurements from rank 0.
std::vector<Edge> edges_of(int rank, int size);

}  // namespace scalemark::clock
