// SPDX-License-Identifier: Apache-2.0
// Ends a job that cannot continue.
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include "common/mpi/environment.hpp"
#include "common/mpi/job_state.hpp"

namespace scalemark::mpi {
namespace {

/// Time for a launcher to forward a line.
constexpr std::chrono::milliseconds kForwarding{200};

}  // namespace

void abort(int code, const std::string& text) {
  const MPI_Comm world = job_state().world;
  const bool running = world != MPI_COMM_NULL;
  int rank = 0, size = 1;
  if (running) {
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
  }
  char host[256] = {};
  if (gethostname(host, sizeof host - 1) != 0) host[0] = '?';
  // A single write(): lines of several ranks are not mixed, and it does not wait for stdio's lock,
  // which a blocked thread may hold.
  const std::string line = fmt::format("[{}/{} {}] error: {}\n", rank, size, host, text);
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
  if (running) {
    // MPICH's mpiexec may lose what a rank wrote just before it aborts the job.
    if (!is_open_mpi()) std::this_thread::sleep_for(kForwarding);
    MPI_Abort(world, code);
  }
  std::_Exit(code);
}

}  // namespace scalemark::mpi
