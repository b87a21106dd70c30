// SPDX-License-Identifier: Apache-2.0
// Dissemination barriers over empty messages.
#include "common/collective/dissemination.hpp"

#include <array>

namespace scalemark::collective {
namespace {

/// Calls `round` with the rank to tell and the rank to hear, round by round.
template <typename Round>
void for_each_round(const mpi::Comm& comm, Round&& round) {
  const int rank = comm.rank(), size = comm.size();
  for (int distance = 1; distance < size; distance *= 2) {
    round((rank + distance) % size, (rank - distance + size) % size);
    if (distance > size / 2) break;  // the next doubling could overflow
  }
}

}  // namespace

void DisseminationBarrier::wait() const {
  for_each_round(comm_, [this](int to, int from) {
    const int code = MPI_Sendrecv(nullptr, 0, MPI_BYTE, to, 0, nullptr, 0, MPI_BYTE, from, 0,
                                  comm_.get(), MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) [[unlikely]]
      mpi::check(code);
  });
}

InterruptibleBarrier::InterruptibleBarrier(const mpi::Comm& ranks) : comm_(ranks.duplicate()) {
  for_each_round(comm_, [this](int to, int from) { rounds_.push_back({.to = to, .from = from}); });
}

void InterruptibleBarrier::wait(const Interruption& interruption) {
  for (Round& round : rounds_) {
    std::array<MPI_Request, 2> both = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    mpi::check(MPI_Irecv(nullptr, 0, MPI_BYTE, round.from, 0, comm_.get(), both.data()));
    mpi::check(MPI_Isend(nullptr, 0, MPI_BYTE, round.to, 0, comm_.get(), &both[1]));
    ++round.sent;
    int done = 0;
    while (done == 0 && !interruption.is_interrupted())
      mpi::check(MPI_Testall(2, both.data(), &done, MPI_STATUSES_IGNORE));
    if (done == 0) {
      mpi::check(MPI_Cancel(both.data()));
      std::array<MPI_Status, 2> states{};
      mpi::check(MPI_Waitall(2, both.data(), states.data()));
      int cancelled = 0;
      mpi::check(MPI_Test_cancelled(states.data(), &cancelled));
      if (cancelled == 0) ++round.received;
      interruption.throw_if_interrupted();
    }
    ++round.received;
  }
}

void InterruptibleBarrier::settle() {
  for (Round& round : rounds_) {
    std::uint64_t sent = 0;
    mpi::check(MPI_Sendrecv(&round.sent, 1, MPI_UINT64_T, round.to, 1, &sent, 1, MPI_UINT64_T,
                            round.from, 1, comm_.get(), MPI_STATUS_IGNORE));
    for (; round.received < sent; ++round.received)
      mpi::check(MPI_Recv(nullptr, 0, MPI_BYTE, round.from, 0, comm_.get(), MPI_STATUS_IGNORE));
  }
}

}  // namespace scalemark::collective
