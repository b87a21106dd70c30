// SPDX-License-Identifier: Apache-2.0
// Measures offsets to rank 0's clock and checks them.
#include "common/clock/synced_clock.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace scalemark::clock {
namespace {

/// The lowest rank, in `world`, of those ranks of `node` that read this rank's clock.
int first_in_domain(const mpi::Comm& world, const mpi::Comm& node, const std::string& name) {
  const std::vector<std::string> names = node.all_gather(name);
  return static_cast<int>(
      node.split(first_of_domain(names, node.rank()), node.rank()).min(world.rank()));
}

}  // namespace

SyncedClock::SyncedClock(const mpi::Comm& world, const mpi::Comm& node, LocalClock local)
    : local_(std::move(local)),
      domain_(first_in_domain(world, node, local_.domain)),
      everyone_(party_of(world)) {
  one_clock_ = world.sum(everyone_.leaders.valid() ? 1 : 0) == 1;
  sync();
}

Party SyncedClock::party_of(const mpi::Comm& ranks) const {
  Party party;
  party.all = ranks.duplicate();
  party.domain = ranks.split(domain_, ranks.rank());
  party.leaders = ranks.split(party.domain.rank() == 0 ? 0 : -1, ranks.rank());
  party.domain_edges = edges_of(party.domain.rank(), party.domain.size());
  if (party.leaders.valid())
    party.leader_edges = edges_of(party.leaders.rank(), party.leaders.size());
  return party;
}

void SyncedClock::sync(const Party& party) {
  learn(party);
  measure_residual(party);
  synced_at_ = now();
}

double SyncedClock::seconds_since_sync() const {
  return static_cast<double>(now() - synced_at_) * 1e-9;
}

/// Adds an anchor to the model of each rank: leaders measure it, the others get their leader's.
void SyncedClock::learn(const Party& party) {
  // The anchor of rank 0, the reference: offset 0. The other ranks replace it.
  Anchor anchor{.local = static_cast<std::int64_t>(now())};
  if (party.leaders.valid() && party.leaders.rank() == 0) model_.add(anchor);
  for (const Edge& edge : party.leader_edges) {
    if (edge.answers) {
      answer_with_time(party.leaders, edge.other, model_.anchors().back().error);
      continue;
    }
    const Reading reading = ask_for_time(party.leaders, edge.other);
    anchor = {.local = reading.local,
              .offset = reading.offset,
              .error = reading.carried + (reading.round_trip + 1) / 2};
    model_.add(anchor);
  }
  std::array<std::int64_t, 3> parts{anchor.local, anchor.offset, anchor.error};
  mpi::check(MPI_Bcast(parts.data(), 3, MPI_INT64_T, 0, party.domain.get()));
  if (party.domain.rank() != 0)
    model_.add({.local = parts[0], .offset = parts[1], .error = parts[2]});
}

void SyncedClock::measure_residual(const Party& party) {
  // Error of this rank's model: difference to the model of the rank above it, plus that rank's
  // error.
  const auto error_by = [&](const Reading& reading) {
    const auto modelled = to_global(static_cast<std::uint64_t>(reading.local));
    return reading.carried + static_cast<std::int64_t>(modelled) - reading.local - reading.offset;
  };
  std::int64_t leader_error = 0;
  for (const Edge& edge : party.leader_edges) {
    if (edge.answers) {
      answer_with_time(party.leaders, edge.other, leader_error);
    } else {
      leader_error = error_by(ask_for_time(party.leaders, edge.other));
    }
  }
  // All ranks of a domain have the same model, so its error is their leader's.
  std::int64_t error = leader_error;
  for (const Edge& edge : party.domain_edges) {
    if (edge.answers) {
      answer_with_time(party.domain, edge.other, leader_error);
    } else {
      const Reading reading = ask_for_time(party.domain, edge.other);
      leader_error = reading.carried;
      error = error_by(reading);
    }
  }
  std::array<std::int64_t, 3> worst{std::abs(error), std::exchange(own_round_trip_, 0),
                                    model_.anchors().back().error};
  party.all.max(worst);
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
