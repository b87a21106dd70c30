// SPDX-License-Identifier: Apache-2.0
// Ranks begin together, at a moment that one of them chose.
#pragma once

#include <cstdint>

#include "common/clock/synced_clock.hpp"
#include "common/mpi/comm.hpp"

namespace scalemark::clock {

/// How a rank began, in nanoseconds of its own clock.
struct Start {
  std::uint64_t at = 0;     ///< the moment that all were to begin
  std::uint64_t began = 0;  ///< when this rank did, never before `at`
  bool in_time =
      false;  ///< it waited for `at`; else it knew of it too late, and its sample is void
};

/// Round-time scheme (Hunold and Carpen-Amarie, Hierarchical Clock Synchronization in MPI, CLUSTER
/// 2018): rank 0 chooses a moment that lies ahead by three times what a broadcast takes, broadcasts
/// it, and all spin until their clocks have come there.
class SyncedStart {
 public:
  /// Collective over `ranks`, any of those that share `clock`, which must outlive this. Measures
  /// the broadcast: mean of ten, by the synchronised clocks, of the rank that got it last.
  SyncedStart(const mpi::Comm& ranks, const SyncedClock& clock);

  /// Collective. A barrier, the broadcast, and the wait.
  Start wait() const;
  /// How far ahead the moment is chosen.
  std::uint64_t margin_ns() const { return margin_; }

 private:
  std::uint64_t broadcast(std::uint64_t global) const;

  mpi::Comm comm_;
  const SyncedClock& clock_;
  std::uint64_t margin_ = 0;
};

}  // namespace scalemark::clock
