// SPDX-License-Identifier: Apache-2.0
// Measures the offset between two clocks by exchanging time stamps.
#include "common/clock/ping_pong.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace scalemark::clock {
namespace {

constexpr std::size_t kAlike = 8;
constexpr std::size_t kMaxExchanges = 100;
constexpr std::int64_t kPatience = 20'000'000;
constexpr int kTag = 0;

enum Request : std::int64_t { kTime, kCarried };

void send(const mpi::Comm& comm, int to, std::int64_t value) {
  mpi::check(MPI_Send(&value, 1, MPI_INT64_T, to, kTag, comm.get()));
}

std::int64_t receive(const mpi::Comm& comm, int from) {
  std::int64_t value = 0;
  mpi::check(MPI_Recv(&value, 1, MPI_INT64_T, from, kTag, comm.get(), MPI_STATUS_IGNORE));
  return value;
}

}  // namespace

bool enough_exchanges(std::span<const std::int64_t> round_trips) {
  if (round_trips.size() < kAlike) return false;
  if (round_trips.size() >= kMaxExchanges) return true;
  const std::int64_t most = *std::ranges::min_element(round_trips) * 11 / 10;
  const auto alike = std::ranges::count_if(round_trips, [&](auto trip) { return trip <= most; });
  if (static_cast<std::size_t>(alike) >= kAlike) return true;
  return std::accumulate(round_trips.begin(), round_trips.end(), std::int64_t{0}) > kPatience;
}

Reading ask(const mpi::Comm& comm, int other, const Source& now) {
  std::array<std::int64_t, kMaxExchanges> round_trips{};
  std::size_t count = 0;
  Reading best;
  do {
    const auto before = static_cast<std::int64_t>(now());
    send(comm, other, kTime);
    const std::int64_t theirs = receive(comm, other);
    const std::int64_t round_trip = static_cast<std::int64_t>(now()) - before;
    if (count == 0 || round_trip < best.round_trip) {
      const std::int64_t middle = before + round_trip / 2;
      best = {.local = middle, .offset = theirs - middle, .round_trip = round_trip};
    }
    round_trips[count++] = round_trip;
  } while (!enough_exchanges({round_trips.data(), count}));
  send(comm, other, kCarried);
  best.carried = receive(comm, other);
  return best;
}

void answer(const mpi::Comm& comm, int other, const Source& now, std::int64_t carried) {
  while (receive(comm, other) == kTime) send(comm, other, static_cast<std::int64_t>(now()));
  send(comm, other, carried);
}

}  // namespace scalemark::clock
