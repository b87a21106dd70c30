// SPDX-License-Identifier: Apache-2.0
// A program whose rank 1 throws at a chosen moment while the others wait for it; its main ends as
// Scalemark's own does.
#include <cstdio>
#include <stdexcept>
#include <string>

#include "common/base/error.hpp"
#include "common/mpi/environment.hpp"

namespace {

void run(const std::string& how, const scalemark::mpi::Comm& world) {
  const bool culprit = world.rank() == world.size() - 1;
  if (how == "before" && culprit) throw std::runtime_error("thrown before communication");
  world.barrier();
  if (how == "between" && culprit) throw std::runtime_error("thrown between two barriers");
  if (how == "inside" && culprit) {
    // A wrong rank: the library's own error, as an exception.
    scalemark::mpi::check(MPI_Send(nullptr, 0, MPI_BYTE, 4711, 0, world.get()));
  }
  const scalemark::mpi::Comm copy = world.duplicate();
  if (how == "unwind" && culprit) throw std::runtime_error("thrown over a communicator");
  copy.sleeping_barrier();
  std::puts("finished");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  if (how == "abort_before_init") scalemark::mpi::abort(5, "no MPI yet");
  try {
    const scalemark::mpi::Environment environment(&argc, &argv);
    run(how, environment.world());
    return 0;
  } catch (const scalemark::UsageError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    scalemark::mpi::abort(42, error.what());
  }
}
