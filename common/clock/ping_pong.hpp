// SPDX-License-Identifier: Apache-2.0
// How far another rank's clock is from this one's, by messages there and back.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "common/mpi/comm.hpp"

namespace scalemark::clock {

/// A clock: nanoseconds since some moment in the past, never falling.
using Source = std::function<std::uint64_t()>;

/// What one rank found out about another one's clock, in nanoseconds.
struct Reading {
  std::int64_t local = 0;       ///< this rank's clock in the middle of the exchange
  std::int64_t offset = 0;      ///< the other's clock then, minus `local`
  std::int64_t round_trip = 0;  ///< of that exchange; the offset is wrong by half of it at most
  std::int64_t carried = 0;     ///< what the other rank gave answer() to carry
};

/// Whether more exchanges would be of no use, given the round trips so far: eight within 110 % of
/// the shortest (SKaMPI's rule, made independent of earlier measurements: Worsch, Reussner,
/// Augustin, On Benchmarking Collective MPI Operations, EuroPVM/MPI 2002), a hundred in all, or, so
/// that a busy machine holds nobody up, eight in all after 20 ms.
bool enough_exchanges(std::span<const std::int64_t> round_trips);

/// Measures `other`'s clock against `now`, while that rank calls answer(). Time stamps go back and
/// forth; the exchange with the shortest round trip counts, and the other's stamp is taken for the
/// middle of it. Blocks; throws Error of MPI.
Reading ask(const mpi::Comm& comm, int other, const Source& now);

/// Tells `other`, which calls ask(), the time of `now`, and in the end `carried`. Blocks; throws
/// Error of MPI.
void answer(const mpi::Comm& comm, int other, const Source& now, std::int64_t carried);

}  // namespace scalemark::clock
