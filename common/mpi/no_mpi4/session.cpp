// SPDX-License-Identifier: Apache-2.0
// An MPI before MPI-4, without sessions.
#include "common/mpi/session.hpp"

namespace scalemark::mpi {

struct Session::Handles {};

bool Session::supported() { return false; }

Session::Session() {
  throw Unavailable("this MPI has no sessions, which came with MPI-4 (Open MPI 5, MPICH 4)");
}

Session::~Session() = default;
int Session::rank() const { return 0; }
int Session::size() const { return 0; }
int Session::thread_level() const { return MPI_THREAD_SINGLE; }
Comm Session::communicator(std::span<const int> /*members*/) const { return {}; }

}  // namespace scalemark::mpi
