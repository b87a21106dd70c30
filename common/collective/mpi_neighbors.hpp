// SPDX-License-Identifier: Apache-2.0
// Neighborhood routines of MPI.
#pragma once

#include <memory>

#include "common/collective/mpi_calls.hpp"

namespace scalemark::collective {

/// Collective. A neighborhood routine on a graph of the call's neighbors, which lives as long as
/// the operation.
std::unique_ptr<Operation> bind_neighbors(const MpiContext& context, const Call& call);

}  // namespace scalemark::collective
