// SPDX-License-Identifier: Apache-2.0
// Lifetime of MPI in this process: init, finalise, abort.
#pragma once

#include <string>

#include "common/mpi/comm.hpp"

namespace scalemark::mpi {

/// Calls MPI_Init_thread with THREAD_MULTIPLE, and MPI_Finalize. MPI errors become exceptions.
/// While an exception unwinds, the destructor does not finalise, because other ranks do not take
/// part and it would hang; main() then prints the error and calls abort().
class Environment {
 public:
  /// Collective over the job. Throws UsageError if the launcher's environment announces several
  /// ranks but MPI has one, which happens with the mpirun of another MPI library. Throws Error if
  /// the launcher's session has no room in its folder (check_session_folder()).
  Environment(int* argc, char*** argv);
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  /// A duplicate of MPI_COMM_WORLD that returns errors.
  const Comm& world() const { return world_; }
  double init_seconds() const { return init_seconds_; }
  /// Short version, such as "Open MPI v4.1.4".
  static std::string library_version();
  /// The complete version text of the library: build, date, identifier.
  static std::string library_text();

 private:
  Comm world_;
  double init_seconds_ = 0;
};

/// The library's level of thread support (MPI_THREAD_SINGLE, ...). Before MPI_Init and after
/// MPI_Finalize: MPI_THREAD_SINGLE.
int thread_level();

/// Whether the library lets several threads call it at once (MPI_THREAD_MULTIPLE).
bool any_thread_may_call();

/// Prints `text` to stderr with rank and host, then ends the job with exit code `code`. Before
/// MPI_Init and after MPI_Finalize it ends only this process. Does not flush stdout.
[[noreturn]] void abort(int code, const std::string& text);

/// This process's rank from the launcher's environment, for use before MPI_Init; 0 if not set.
int promised_rank();
/// Number of ranks from the launcher's environment (OMPI_COMM_WORLD_SIZE, PMI_SIZE,
/// SLURM_STEP_NUM_TASKS, ...); 0 if not set.
int promised_ranks();

}  // namespace scalemark::mpi
