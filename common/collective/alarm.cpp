// SPDX-License-Identifier: Apache-2.0
// One empty message from a rank that failed to each other one.
#include "common/collective/alarm.hpp"

#include "common/mpi/typed.hpp"

namespace scalemark::collective {

void Alarm::raise() {
  if (raised_) return;
  raised_ = true;
  for (int other = 0; other < comm_.size(); ++other) {
    if (other == comm_.rank()) continue;
    sends_.emplace_back(MPI_REQUEST_NULL);
    mpi::check(MPI_Isend(nullptr, 0, MPI_BYTE, other, 0, comm_.get(), &sends_.back()));
  }
}

bool Alarm::is_raised() const {
  int there = 0;
  const int code = MPI_Iprobe(MPI_ANY_SOURCE, 0, comm_.get(), &there, MPI_STATUS_IGNORE);
  return code == MPI_SUCCESS && there != 0;
}

void Alarm::settle() {
  const std::vector<bool> raised = mpi::all_gather(comm_, raised_);
  for (int other = 0; other < comm_.size(); ++other) {
    if (other == comm_.rank() || !raised[static_cast<std::size_t>(other)]) continue;
    mpi::check(MPI_Recv(nullptr, 0, MPI_BYTE, other, 0, comm_.get(), MPI_STATUS_IGNORE));
  }
  mpi::check(MPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE));
  sends_.clear();
  raised_ = false;
}

}  // namespace scalemark::collective
