// SPDX-License-Identifier: Apache-2.0
// The barrier before each timed collective.
#pragma once

#include "common/mpi/comm.hpp"

namespace scalemark::collective {

/// Dissemination barrier (Hensgen, Finkel, Manber 1988): in round k each rank tells the one 2^k
/// further and hears from the one 2^k before; after ceil(log2 n) rounds each has heard from all.
/// Our own, so that what starts a measurement is the same under every MPI library.
class DisseminationBarrier {
 public:
  /// Collective: messages go over a duplicate of `ranks`.
  explicit DisseminationBarrier(const mpi::Comm& ranks) : comm_(ranks.duplicate()) {}
  /// Collective. Every rank has entered when any leaves.
  void wait() const;

 private:
  mpi::Comm comm_;
};

}  // namespace scalemark::collective
