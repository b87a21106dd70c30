// SPDX-License-Identifier: Apache-2.0
// Groups of calls, which go to their streams together when the outermost group ends.
#pragma once

#include <memory>

#include <cuda_runtime_api.h>
#include <nccl.h>

#include "tests/gpu/software/nccl/communicator.hpp"

namespace scalemark::software_nccl {

/// Of the calling thread. `end` throws Failure: the error of a call in the group, or its own.
void start_group();
void end_group();
/// As end_group(), but nothing is carried out. Microseconds of the last collective; negative
/// without one.
float simulate_group();
bool in_group();

/// The group fails with this when it ends, and none of its calls is carried out.
void spoil_group(ncclResult_t code);

/// Adds a call to the group, or makes one of it alone. Throws Failure.
void enqueue(const std::shared_ptr<Communicator>& communicator, const Operation& operation,
             cudaStream_t stream);

}  // namespace scalemark::software_nccl
