// SPDX-License-Identifier: Apache-2.0
// A clock that all ranks of a job share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/clock.hpp"
#include "common/clock/domain.hpp"
#include "common/clock/offset_model.hpp"
#include "common/clock/ping_pong.hpp"
#include "common/clock/tree.hpp"
#include "common/mpi/comm.hpp"

namespace scalemark::clock {

/// The clock that a rank reads.
struct LocalClock {
  Source now = now_ns;
  /// Ranks of a node with equal names read the same clock.
  std::string domain = time_namespace();
};

/// A group of ranks that compare their clocks, and the pairs that do so.
struct Party {
  mpi::Comm all;
  mpi::Comm domain;   ///< the ranks that read this rank's clock
  mpi::Comm leaders;  ///< the first rank of each domain; invalid on other ranks
  std::vector<Edge> leader_edges, domain_edges;
};

/// Rank 0's clock, which all ranks know through offsets from their own clock. Ranks of a node that
/// read the same clock need one measurement together. Between nodes, HCA3 distributes rank 0's time
/// (docs/measuring/clock.md). Clocks drift: call sync() before and after a measurement, so that
/// time stamps in between are interpolated. Conversions are thread-safe, except while sync() runs.
class SyncedClock {
 public:
  /// Collective over `world`; calls sync() once. `node`: the ranks of `world` on this rank's node.
  /// Uses its own communicators. Like all collective members, throws Error if MPI fails.
  SyncedClock(const mpi::Comm& world, const mpi::Comm& node, LocalClock local = {});

  /// Collective. Measures offsets and the residual again. Takes about 1 ms on one node; each
  /// doubling of the number of nodes adds at most 200 round trips.
  void sync() { sync(everyone_); }
  /// sync() for the ranks of a party only, collective over it. Residual, round trip and error bound
  /// are then those of the party. Other ranks keep their model until the next sync().
  void sync(const Party& party);
  /// Collective over `ranks`, a subset of the clock's ranks that starts with its rank 0. Returns
  /// what these ranks need to call sync() alone.
  Party party_of(const mpi::Comm& ranks) const;
  /// Collective. Measures the residual of the current model, to check an extrapolation.
  void measure_residual() { measure_residual(everyone_); }
  /// Seconds since the last sync(), on this rank's clock. Ranks get slightly different values.
  double seconds_since_sync() const;

  /// The local clock in ns.
  std::uint64_t now() const { return local_.now(); }
  /// Reference clock (rank 0's) in ns when this rank's clock showed `local_ns`.
  std::uint64_t to_global(std::uint64_t local_ns) const { return model_.to_global(local_ns); }
  /// The inverse of to_global(), accurate to 1 or 2 ns.
  std::uint64_t to_local(std::uint64_t global_ns) const { return model_.to_local(global_ns); }

  /// Largest difference, over all ranks, between the model and a second, independent measurement,
  /// in ns. If all ranks read one clock, it is the measurement error. It does not include errors
  /// that both measurements share, such as messages that are faster in one direction.
  std::uint64_t residual_ns() const { return residual_; }
  /// The largest, over all ranks, of the shortest round trips of the latest measurements, in ns.
  std::uint64_t round_trip_ns() const { return round_trip_; }
  /// Upper bound of the offsets' error when they were measured, in ns; drift during the measurement
  /// comes on top. It is half the sum of the round trips on the path from rank 0 to a rank, maximum
  /// over all ranks. 0 if all ranks read one clock.
  std::uint64_t error_bound_ns() const { return error_bound_; }
  /// "one clock" if all ranks read the same clock, otherwise "hca3".
  std::string_view method() const { return one_clock_ ? "one clock" : "hca3"; }

 private:
  void learn(const Party& party);
  void measure_residual(const Party& party);
  Reading ask_for_time(const mpi::Comm& comm, int other);
  void answer_with_time(const mpi::Comm& comm, int other, std::int64_t carried) const;

  LocalClock local_;
  int domain_ = 0;  ///< the lowest rank that reads this rank's clock
  Party everyone_;
  bool one_clock_ = true;
  OffsetModel model_;
  std::uint64_t synced_at_ = 0;
  /// this rank's longest round trip since the last measure_residual()
  std::int64_t own_round_trip_ = 0;
  std::uint64_t residual_ = 0, round_trip_ = 0, error_bound_ = 0;
};

}  // namespace scalemark::clock
