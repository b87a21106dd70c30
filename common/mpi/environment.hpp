// SPDX-License-Identifier: Apache-2.0
// Lifetime of MPI in this process: init, finalise, abort.
#pragma once

#include <optional>
#include <string>

#include "common/mpi/comm.hpp"
#include "common/mpi/session.hpp"

namespace scalemark::mpi {

/// How MPI starts: by MPI_Init_thread, or by a session and a communicator of its processes (MPI-4).
enum class Start { init, session };

/// Starts MPI with THREAD_MULTIPLE, and finalises it. MPI errors become exceptions. While an
/// exception unwinds, the destructor does not finalise, because other ranks do not take part and it
/// would hang; main() then prints the error and calls abort().
class Environment {
 public:
  /// Collective over the job. Throws UsageError if the launcher's environment announces several
  /// ranks but MPI has one, which happens with the mpirun of another MPI library. Throws Error if
  /// the launcher's session has no room in its folder (check_session_folder()), and Unavailable if
  /// MPI has no sessions.
  Environment(int* argc, char*** argv, Start start = Start::init);
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  /// All ranks of the job. Returns errors.
  const Comm& world() const { return world_; }
  /// Time of MPI_Init_thread, or of the session and its communicator.
  double init_seconds() const { return init_seconds_; }
  /// Short version, such as "Open MPI v4.1.4".
  static std::string library_version();
  /// The complete version text of the library: build, date, identifier.
  static std::string library_text();

 private:
  void start_by_init(int* argc, char*** argv);
  void start_by_session();
  void finalize();
  std::optional<Session> session_;
  Comm world_;
  double init_seconds_ = 0;
};

/// The library's level of thread support (MPI_THREAD_SINGLE, ...). Without an Environment:
/// MPI_THREAD_SINGLE.
int thread_level();

/// Whether the Environment was started by a session.
bool started_by_session();

/// Whether the library lets several threads call it at once (MPI_THREAD_MULTIPLE).
bool any_thread_may_call();

/// Whether the library is Open MPI, of any version.
bool is_open_mpi();

/// Whether this process must run its exit handlers: MPI ran, and is not Open MPI. MPICH 5 tells its
/// launcher in one of them that the process ends on purpose. Otherwise mpiexec kills the others.
bool needs_exit_handlers();

/// Prints `text` to stderr with rank and host, then ends the job with exit code `code`. Without
/// an Environment it ends only this process. Does not flush stdout.
[[noreturn]] void abort(int code, const std::string& text);

/// This process's rank from the launcher's environment, for use before MPI_Init; 0 if not set.
int promised_rank();
/// Number of ranks from the launcher's environment (OMPI_COMM_WORLD_SIZE, PMI_SIZE,
/// SLURM_STEP_NUM_TASKS, ...); 0 if not set.
int promised_ranks();

}  // namespace scalemark::mpi
