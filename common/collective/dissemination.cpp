// SPDX-License-Identifier: Apache-2.0
// Dissemination barrier over empty messages.
#include "common/collective/dissemination.hpp"

namespace scalemark::collective {

void DisseminationBarrier::wait() const {
  const int rank = comm_.rank(), size = comm_.size();
  for (int distance = 1; distance < size; distance *= 2) {
    const int to = (rank + distance) % size, from = (rank - distance + size) % size;
    const int code = MPI_Sendrecv(nullptr, 0, MPI_BYTE, to, 0, nullptr, 0, MPI_BYTE, from, 0,
                                  comm_.get(), MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) [[unlikely]]
      mpi::check(code);
    if (distance > size / 2) break;  // the next doubling could overflow
  }
}

}  // namespace scalemark::collective
