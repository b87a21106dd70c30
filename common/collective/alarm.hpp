// SPDX-License-Identifier: Apache-2.0
// Tells other ranks of a failure without taking part in what they wait for.
#pragma once

#include <vector>

#include <mpi.h>

#include "common/mpi/comm.hpp"

namespace scalemark::collective {

/// Messages without content between the ranks of a communicator of its own.
class Alarm {
 public:
  /// Collective over `ranks`.
  explicit Alarm(const mpi::Comm& ranks) : comm_(ranks.duplicate()) {}

  /// Tells all other ranks, once. Does not wait for them.
  void raise();
  /// Whether another rank raised it. From any thread where MPI allows that (MPI_THREAD_MULTIPLE).
  bool is_raised() const;
  /// Collective: receives what was raised, so that no message is left behind.
  void settle();

 private:
  mpi::Comm comm_;
  std::vector<MPI_Request> sends_;
  bool raised_ = false;
};

}  // namespace scalemark::collective
