// SPDX-License-Identifier: Apache-2.0
// Measures the offset between the clocks of two ranks, by messages in both directions.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "common/mpi/comm.hpp"

namespace scalemark::clock {

/// A clock: returns ns since some time in the past and never decreases.
using Source = std::function<std::uint64_t()>;

/// Result of measuring another rank's clock, in ns.
struct Reading {
  std::int64_t local = 0;       ///< this rank's clock in the middle of the exchange
  std::int64_t offset = 0;      ///< the other rank's clock at that time - `local`
  std::int64_t round_trip = 0;  ///< of the exchange used; the offset's error is at most half of it
  std::int64_t carried = 0;     ///< value that the other rank passed to answer()
};

/// Whether the exchanges so far are enough:
/// - 100 exchanges;
/// - or eight round trips within 110 % of the shortest (SKaMPI's rule, without the use of earlier
///   measurements: Worsch, Reussner, Augustin, On Benchmarking Collective MPI Operations,
///   EuroPVM/MPI 2002);
/// - or at least eight exchanges and 20 ms in total, so that a busy machine does not delay the run.
bool enough_exchanges(std::span<const std::int64_t> round_trips);

/// Measures the clock of `other` against `now` while that rank calls answer(). The exchange with
/// the shortest round trip counts; the other rank's time stamp is assigned to its middle. Blocks.
/// Throws Error if MPI fails.
Reading ask(const mpi::Comm& comm, int other, const Source& now);

/// Counterpart of ask(): sends time stamps of `now` to `other`, and finally `carried`. Blocks.
/// Throws Error if MPI fails.
void answer(const mpi::Comm& comm, int other, const Source& now, std::int64_t carried);

}  // namespace scalemark::clock
