// SPDX-License-Identifier: Apache-2.0
// One-sided accesses as operations of MPI, one for each way to complete them.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <mpi.h>

#include "common/collective/mpi_operation.hpp"
#include "common/collective/one_sided.hpp"

namespace scalemark::collective {

/// An access in MPI's terms.
struct BoundAccess {
  Access::Kind kind = Access::Kind::put;
  std::byte* origin = nullptr;
  std::byte* result = nullptr;
  const void* compare = nullptr;
  int count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int peer = 0;
  MPI_Aint displacement = 0;
  MPI_Op op = MPI_OP_NULL;
  std::size_t messages = 1;
  std::size_t bytes = 0;  ///< of one message
  Keep keep = {};

  /// Starts all messages.
  void begin(MPI_Win window) const {
    for (std::size_t i = 0; i < messages; ++i) begin_at(i * bytes, window);
  }

 private:
  void begin_at(std::size_t offset, MPI_Win window) const;
};

/// What the operations of a window hold.
struct Epochs {
  static constexpr int kNobody = -1, kAll = -2;
  int locked = kNobody;    ///< the rank whose memory this one has locked, or all
  bool unflushed = false;  ///< where that may have to be told of accesses
  int fenced = 0;          ///< operations that end by fences

  /// Whether this rank may access the memory of `rank` now.
  bool holds(int rank) const { return locked == rank || locked == kAll; }
};

/// Completes what was done to the memory of `locked`, a rank or Epochs::kAll, there too.
void flush(int locked, MPI_Win window);

/// The accesses that an operation starts, then completes together; none for a rank that is only
/// accessed.
struct BoundAccesses {
  MPI_Win window = MPI_WIN_NULL;
  Sync sync = Sync::flush;
  std::vector<int> accessors;  ///< as Access::accessors
  std::vector<BoundAccess> all = {};
};

/// The operation for the accesses to a window that has `epochs`. Collective where sync is fence.
std::unique_ptr<Operation> make_mpi_access(BoundAccesses bound, Epochs& epochs);

}  // namespace scalemark::collective
