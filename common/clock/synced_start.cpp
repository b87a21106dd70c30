// SPDX-License-Identifier: Apache-2.0
// Starts ranks at a common time.
#include "common/clock/synced_start.hpp"

#include <algorithm>

namespace scalemark::clock {
namespace {

constexpr int kBroadcasts = 10;
/// Longer than reading a clock takes; needed where a broadcast takes no time (one rank).
constexpr std::int64_t kMinMargin = 1000;

}  // namespace

SyncedStart::SyncedStart(const mpi::Comm& ranks, const SyncedClock& clock)
    : comm_(ranks.duplicate()), clock_(clock) {
  std::int64_t took = 0;
  for (int i = -1; i < kBroadcasts; ++i) {
    comm_.barrier();
    const std::uint64_t sent = broadcast(clock_.to_global(clock_.now()));
    const std::uint64_t got = clock_.to_global(clock_.now());
    // The first broadcast only sets up connections. The clocks' error may exceed the time of a
    // broadcast, so negative values count as 0.
    if (i >= 0) took += std::max<std::int64_t>(0, static_cast<std::int64_t>(got - sent));
  }
  const std::int64_t margin = 3 * comm_.max(took) / kBroadcasts;
  margin_ = static_cast<std::uint64_t>(std::max(kMinMargin, margin)) + clock_.residual_ns();
}

Start SyncedStart::wait() const {
  comm_.barrier();
  const std::uint64_t at = broadcast(clock_.to_global(clock_.now()) + margin_);
  Start start{.at = clock_.to_local(at), .began = clock_.now()};
  start.in_time = start.began < start.at;
  while (start.began < start.at) start.began = clock_.now();
  return start;
}

/// Broadcasts rank 0's `global` to all ranks.
std::uint64_t SyncedStart::broadcast(std::uint64_t global) const {
  mpi::check(MPI_Bcast(&global, 1, MPI_UINT64_T, 0, comm_.get()));
  return global;
}

}  // namespace scalemark::clock
