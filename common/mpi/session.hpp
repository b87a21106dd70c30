// SPDX-License-Identifier: Apache-2.0
// A session of MPI-4: MPI without MPI_Init.
#pragma once

#include <memory>
#include <span>

#include "common/mpi/comm.hpp"

namespace scalemark::mpi {

/// A session with MPI_THREAD_MULTIPLE, and its process set "mpi://WORLD": the processes of the job.
/// MPI errors become exceptions, as in check().
class Session {
 public:
  /// Whether this build's MPI has sessions.
  static bool supported();

  /// Throws Unavailable if this build's MPI has no sessions.
  Session();
  /// Finalises the session. Its communicators must be gone. While an exception unwinds, the session
  /// is left open, because finalising may wait for other processes.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  int rank() const;          ///< in "mpi://WORLD"
  int size() const;          ///< of "mpi://WORLD"
  int thread_level() const;  ///< what the library provides: MPI_THREAD_SINGLE, ...

  /// Collective over `members`, ranks in "mpi://WORLD": a communicator of them in this order.
  /// Empty: of all processes.
  Comm communicator(std::span<const int> members = {}) const;

 private:
  struct Handles;
  std::unique_ptr<Handles> handles_;
};

}  // namespace scalemark::mpi
