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
  /// Ranks of a node with equal names have this clock in common.
  std::string domain = time_namespace();
};

/// Ranks that compare their clocks, and who asks whom.
struct Party {
  mpi::Comm all;
  mpi::Comm domain;   ///< those that read this rank's clock
  mpi::Comm leaders;  ///< the first of each domain; invalid on others
  std::vector<Edge> leader_edges, domain_edges;
};

/// Rank 0's clock, known to all ranks by offsets from their own. Ranks of one node read one clock,
/// so one of them measures for all; between these HCA3 hands rank 0's time on
/// (docs/measuring/clock.md). Clocks drift: call sync() before and after what is measured, so that
/// stamps in between are interpolated. Conversions may be called from any thread, except while
/// sync() runs.
class SyncedClock {
 public:
  /// Collective over `world`; syncs once. `node`: the ranks of `world` on this rank's node.
  /// Messages go over communicators of its own. Throws Error of MPI, as all collective members.
  SyncedClock(const mpi::Comm& world, const mpi::Comm& node, LocalClock local = {});

  /// Collective. Measures the offsets anew, and then the residual. About a millisecond on one node;
  /// each doubling of the number of nodes adds two hundred round trips at most.
  void sync() { sync(everyone_); }
  /// Collective over the party: as sync(), but only these ranks learn, and residual, round trip and
  /// bound are theirs. The others go on with what they know, until sync().
  void sync(const Party& party);
  /// Collective over `ranks`, some of those of the clock and its rank 0 their first: what they need
  /// to sync() alone.
  Party party_of(const mpi::Comm& ranks) const;
  /// Collective. Measures the residual of the model as it stands, for what is extrapolated.
  void measure_residual() { measure_residual(everyone_); }
  /// Seconds since the last sync() as this rank's clock has it; ranks agree on nothing by it alone.
  double seconds_since_sync() const;

  /// The local clock, in nanoseconds.
  std::uint64_t now() const { return local_.now(); }
  /// Nanoseconds of the reference clock (rank 0's) when this rank's clock showed `local_ns`.
  std::uint64_t to_global(std::uint64_t local_ns) const { return model_.to_global(local_ns); }
  /// The inverse of to_global(), to a nanosecond or two.
  std::uint64_t to_local(std::uint64_t global_ns) const { return model_.to_local(global_ns); }

  /// How far the model was from a second, independent measurement: the largest difference of any
  /// rank, in nanoseconds. Where ranks read one clock it is the error of measuring. What both
  /// measurements have in common (messages that are faster one way than back) is not in it.
  std::uint64_t residual_ns() const { return residual_; }
  /// The longest of the ranks' shortest round trips in the last measurements, in nanoseconds.
  std::uint64_t round_trip_ns() const { return round_trip_; }
  /// What cannot be ruled out: when they were measured, no rank's offset was wrong by more, but for
  /// the drift during the measurement. Half the round trips between rank 0 and a rank, in
  /// nanoseconds; the largest of any rank. 0 where all read one clock.
  std::uint64_t error_bound_ns() const { return error_bound_; }
  /// "one clock" where all ranks read the same one, else "hca3".
  std::string_view method() const { return one_clock_ ? "one clock" : "hca3"; }

 private:
  void learn(const Party& party);
  void measure_residual(const Party& party);
  Reading ask_for_time(const mpi::Comm& comm, int other);
  void answer_with_time(const mpi::Comm& comm, int other, std::int64_t carried) const;

  LocalClock local_;
  int domain_ = 0;  ///< the first rank that reads this rank's clock
  Party everyone_;
  bool one_clock_ = true;
  OffsetModel model_;
  std::uint64_t synced_at_ = 0;
  std::int64_t own_round_trip_ = 0;  ///< this rank's longest since the last time they were compared
  std::uint64_t residual_ = 0, round_trip_ = 0, error_bound_ = 0;
};

}  // namespace scalemark::clock
