// SPDX-License-Identifier: Apache-2.0
// Starts an operation on all ranks at the same time, which rank 0 chooses.
#pragma once

#include <cstdint>

#include "common/clock/synced_clock.hpp"
#include "common/mpi/comm.hpp"

namespace scalemark::clock {

/// Start of an operation on one rank, in ns of its own clock.
struct Start {
  std::uint64_t at = 0;     ///< the time at which all ranks should start
  std::uint64_t began = 0;  ///< when this rank started, never before `at`
  bool in_time = false;  ///< false if the rank learned of `at` too late; its sample is then invalid
};

/// Round-time scheme (Hunold and Carpen-Amarie, Hierarchical Clock Synchronization in MPI, CLUSTER
/// 2018). Rank 0 broadcasts a start time in the future, at a distance of three times the duration
/// of a broadcast plus the clocks' residual. All ranks spin until their clock reaches it.
class SyncedStart {
 public:
  /// Collective over `ranks`, a subset of the ranks of `clock`, which must outlive this object.
  /// Measures the duration of a broadcast with the synchronised clocks: mean of ten, of the slowest
  /// rank.
  SyncedStart(const mpi::Comm& ranks, const SyncedClock& clock);

  /// Collective: a barrier, a broadcast, and the wait.
  Start wait() const;
  /// Time from choosing the start to the start, in ns.
  std::uint64_t margin_ns() const { return margin_; }

 private:
  std::uint64_t broadcast(std::uint64_t global) const;

  mpi::Comm comm_;
  const SyncedClock& clock_;
  std::uint64_t margin_ = 0;
};

}  // namespace scalemark::clock
