// SPDX-License-Identifier: Apache-2.0
// MPI as the job's Environment started it, for functions that have no Environment at hand.
#pragma once

#include <mpi.h>

namespace scalemark::mpi {

struct JobState {
  MPI_Comm world = MPI_COMM_NULL;  ///< MPI_COMM_NULL: MPI does not run
  int thread_level = MPI_THREAD_SINGLE;
  bool by_session = false;
  bool has_run = false;  ///< stays true at the end
};

/// Written by Environment.
inline JobState& job_state() {
  static JobState state;
  return state;
}

}  // namespace scalemark::mpi
