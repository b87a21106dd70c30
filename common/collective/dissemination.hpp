// SPDX-License-Identifier: Apache-2.0
// The barrier before each timed collective.
#pragma once

#include <cstdint>
#include <vector>

#include "common/collective/interruption.hpp"
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

/// The same barrier, which another thread can end.
class InterruptibleBarrier {
 public:
  /// Collective, as above.
  explicit InterruptibleBarrier(const mpi::Comm& ranks);
  /// Collective. Throws as Interruption::throw_if_interrupted() where that ends it.
  void wait(const Interruption& interruption);
  /// Collective: receives the messages of barriers that were ended, so that none is left behind.
  void settle();

 private:
  /// Messages of one round of all barriers so far.
  struct Round {
    int to = 0, from = 0;
    std::uint64_t sent = 0, received = 0;
  };
  mpi::Comm comm_;
  std::vector<Round> rounds_;
};

}  // namespace scalemark::collective
