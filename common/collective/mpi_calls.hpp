// SPDX-License-Identifier: Apache-2.0
// Calls and messages bound to MPI's functions.
#pragma once

#include <memory>
#include <span>

#include "common/collective/call.hpp"
#include "common/collective/emulated_ops.hpp"
#include "common/collective/mpi_types.hpp"
#include "common/collective/operation.hpp"
#include "common/mpi/comm.hpp"

namespace scalemark::collective {

/// What MPI is called with.
struct MpiContext {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0, size = 1;
  MpiTypes types;
  EmulatedOps emulated;
};

/// The reduction of a call: MPI's own, or ours on the type as which it moves; the average is a sum.
/// MPI_OP_NULL for none.
struct MpiReduction {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
};
/// MPI's type and operation for a reduction.
MpiReduction reduction_of(const MpiContext& context, DType type, ReduceOp op);

/// `call` on host memory. `context` must outlive the operation. Throws Unavailable for what MPI
/// lacks: reductions and displacements beyond int.
std::unique_ptr<Operation> bind_call(const MpiContext& context, const Call& call);

/// A set of messages; see Communicator::prepare.
std::unique_ptr<Operation> bind_transfers(const MpiContext& context,
                                          std::span<const Transfer> transfers, DType type,
                                          Mode mode);

}  // namespace scalemark::collective
