// SPDX-License-Identifier: Apache-2.0
// Learning rank 0's time, and checking what was learnt.
#include "common/clock/synced_clock.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace scalemark::clock {
namespace {

/// Ranks of `node` that read this rank's clock, ordered as in `world`.
mpi::Comm domain_of(const mpi::Comm& node, const std::string& name, int world_rank) {
  const std::vector<std::string> names = node.all_gather(name);
  return node.split(first_of_domain(names, node.rank()), world_rank);
}

}  // namespace

SyncedClock::SyncedClock(const mpi::Comm& world, const mpi::Comm& node, LocalClock local)
    : local_(std::move(local)),
      world_(world.duplicate()),
      domain_(domain_of(node, local_.domain, world.rank())),
      leaders_(world_.split(domain_.rank() == 0 ? 0 : -1, world_.rank())),
      domain_edges_(edges_of(domain_.rank(), domain_.size())) {
  if (leaders_.valid()) leader_edges_ = edges_of(leaders_.rank(), leaders_.size());
  one_clock_ = world_.sum(leaders_.valid() ? 1 : 0) == 1;
  sync();
}

void SyncedClock::sync() {
  learn();
  measure_residual();
  synced_at_ = now();
}

double SyncedClock::seconds_since_sync() const {
  return static_cast<double>(now() - synced_at_) * 1e-9;
}

/// One anchor more for everybody's model: leaders measure theirs, the others take their leader's.
void SyncedClock::learn() {
  // Right for rank 0, which is the reference; the others replace it.
  Anchor anchor{.local = static_cast<std::int64_t>(now())};
  if (leaders_.valid() && leaders_.rank() == 0) model_.add(anchor);
  for (const Edge& edge : leader_edges_) {
    if (edge.answers) {
      answer_with_time(leaders_, edge.other, model_.anchors().back().error);
      continue;
    }
    const Reading reading = ask_for_time(leaders_, edge.other);
    anchor = {.local = reading.local,
              .offset = reading.offset,
              .error = reading.carried + (reading.round_trip + 1) / 2};
    model_.add(anchor);
  }
  std::array<std::int64_t, 3> parts{anchor.local, anchor.offset, anchor.error};
  mpi::check(MPI_Bcast(parts.data(), 3, MPI_INT64_T, 0, domain_.get()));
  if (domain_.rank() != 0) model_.add({.local = parts[0], .offset = parts[1], .error = parts[2]});
}

void SyncedClock::measure_residual() {
  // What a rank's model says beyond what the rank above it says, plus what is wrong with that.
  const auto error_by = [&](const Reading& reading) {
    const auto modelled = to_global(static_cast<std::uint64_t>(reading.local));
    return reading.carried + static_cast<std::int64_t>(modelled) - reading.local - reading.offset;
  };
  std::int64_t leader_error = 0;
  for (const Edge& edge : leader_edges_) {
    if (edge.answers) {
      answer_with_time(leaders_, edge.other, leader_error);
    } else {
      leader_error = error_by(ask_for_time(leaders_, edge.other));
    }
  }
  // In a domain there is one model, so what is wrong with it is the leader's error for all of them.
  std::int64_t error = leader_error;
  for (const Edge& edge : domain_edges_) {
    if (edge.answers) {
      answer_with_time(domain_, edge.other, leader_error);
    } else {
      const Reading reading = ask_for_time(domain_, edge.other);
      leader_error = reading.carried;
      error = error_by(reading);
    }
  }
  std::array<std::int64_t, 3> worst{std::abs(error), std::exchange(own_round_trip_, 0),
                                    model_.anchors().back().error};
  world_.max(worst);
  residual_ = static_cast<std::uint64_t>(worst[0]);
  round_trip_ = static_cast<std::uint64_t>(worst[1]);
  error_bound_ = static_cast<std::uint64_t>(worst[2]);
}

Reading SyncedClock::ask_for_time(const mpi::Comm& comm, int other) {
  const Reading reading = ask(comm, other, local_.now);
  own_round_trip_ = std::max(own_round_trip_, reading.round_trip);
  return reading;
}

void SyncedClock::answer_with_time(const mpi::Comm& comm, int other, std::int64_t carried) const {
  answer(
      comm, other, [this] { return to_global(now()); }, carried);
}

}  // namespace scalemark::clock
