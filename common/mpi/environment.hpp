// SPDX-License-Identifier: Apache-2.0
// MPI start and end.
#pragma once

#include <string>

#include "common/mpi/comm.hpp"

namespace scalemark::mpi {

/// MPI_Init_thread .. MPI_Finalize. Asks for THREAD_MULTIPLE; errors of communicators return and
/// become exceptions. While an exception unwinds, the destructor does not finalize: that would hang
/// (the others are elsewhere); main catches, prints and calls abort().
class Environment {
 public:
  /// Collective over the job. Throws UsageError when the launcher's environment promises several
  /// ranks but MPI sees one (mpirun of another MPI).
  Environment(int* argc, char*** argv);
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  /// A duplicate of MPI_COMM_WORLD that returns errors.
  const Comm& world() const { return world_; }
  double init_seconds() const { return init_seconds_; }
  /// "Open MPI v4.1.4"
  static std::string library_version();
  /// All that the library says of its version: build, date, identifier.
  static std::string library_text();
  /// Whether THREAD_MULTIPLE was given.
  bool thread_multiple() const { return thread_multiple_; }

 private:
  Comm world_;
  double init_seconds_ = 0;
  bool thread_multiple_ = false;
};

/// Prints `text` to stderr with rank and host, then ends the job with `code`. Works before
/// MPI_Init and after MPI_Finalize too (then it only ends this process). stdout is not flushed.
[[noreturn]] void abort(int code, const std::string& text);

/// This process' rank as the launcher's environment has it, before MPI_Init; 0 if it says nothing.
int promised_rank();
/// Ranks that the launcher's environment promises (OMPI_COMM_WORLD_SIZE, PMI_SIZE, a Slurm step's
/// SLURM_STEP_NUM_TASKS, ...), 0 if it says nothing.
int promised_ranks();

}  // namespace scalemark::mpi
