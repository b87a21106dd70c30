// SPDX-License-Identifier: Apache-2.0
// The one collective of the harness.
#include "common/core/exchange.hpp"

#include <array>

#include "common/base/error.hpp"

namespace scalemark {
namespace {

/// The failure in the high half, the rank (lower is larger) in the low half: one maximum finds the
/// worst failure and the lowest rank that has it.
std::int64_t encode(Failure failure, const mpi::Comm& ranks) {
  if (failure == Failure::none) return 0;
  return static_cast<std::int64_t>(failure) << 32 | (ranks.size() - ranks.rank());
}

struct Outcome {
  Failure failure;
  int rank;
  Votes votes;
};

Outcome reduce(const mpi::Comm& ranks, Failure failure, const Votes& mine) {
  std::array<std::int64_t, 5> values = {encode(failure, ranks), mine.nanoseconds,
                                        mine.objects ? 1 : 0, mine.needs_samples ? 1 : 0,
                                        mine.clock_is_old ? 1 : 0};
  ranks.max(values);
  return {static_cast<Failure>(values[0] >> 32),
          ranks.size() - static_cast<int>(values[0] & 0xffffffff),
          {.nanoseconds = values[1],
           .objects = values[2] == 1,
           .needs_samples = values[3] == 1,
           .clock_is_old = values[4] == 1}};
}

}  // namespace

Status status_of(Failure failure) {
  switch (failure) {
    case Failure::none:
      return Status::ok;
    case Failure::skip:
    case Failure::unavailable:
      return Status::skipped;
    case Failure::oom:
      return Status::oom;
    case Failure::failed:
    case Failure::wrong_data:
      return Status::failed;
  }
  return Status::failed;
}

Votes exchange(const mpi::Comm& ranks, Votes mine) {
  const Outcome outcome = reduce(ranks, Failure::none, mine);
  if (outcome.failure != Failure::none) {
    throw PeerFailed{outcome.failure, outcome.rank, ranks.broadcast({}, outcome.rank)};
  }
  return outcome.votes;
}

PeerFailed await_failure(const mpi::Comm& ranks) {
  try {
    exchange(ranks);
  } catch (const PeerFailed& failed) {
    return failed;
  }
  throw Error("a wait for other ranks was ended, but none of them failed");
}

std::int64_t largest(const mpi::Comm& ranks, std::int64_t value) {
  return exchange(ranks, {.nanoseconds = value}).nanoseconds;
}

void throw_if_peer_failed(const mpi::Comm& ranks) { exchange(ranks); }

PeerFailed fail(const mpi::Comm& ranks, Failure failure, const std::string& text) {
  const Outcome outcome = reduce(ranks, failure, {});
  return {outcome.failure, outcome.rank, ranks.broadcast(text, outcome.rank)};
}

}  // namespace scalemark
