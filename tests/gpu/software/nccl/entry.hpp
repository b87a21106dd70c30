// SPDX-License-Identifier: Apache-2.0
// What all entry points need: codes instead of exceptions, and communicators by their handles.
#pragma once

#include <exception>
#include <memory>
#include <utility>

#include <nccl.h>

#include "tests/gpu/software/nccl/communicator.hpp"
#include "tests/gpu/software/nccl/failure.hpp"
#include "tests/gpu/software/nccl/group.hpp"

namespace scalemark::software_nccl {

/// Throws Failure if this is the call that SOFTWARE_GPU_NCCL_FAIL_CALL names.
void fail_if_told();

/// Runs the work of an entry point and returns its code. `counted`: it may be told to fail.
template <typename Body>
ncclResult_t call(bool counted, Body&& body) noexcept {
  try {
    if (counted) fail_if_told();
    std::forward<Body>(body)();
    return ncclSuccess;
  } catch (const Failure& failure) {
    warn(-1, failure.text);
    spoil_group(failure.code);
    return failure.code;
  } catch (const std::exception& other) {
    warn(-1, other.what());
    return ncclInternalError;
  }
}

/// The handle of a new communicator.
ncclComm_t add(std::shared_ptr<Communicator> made);
/// Throws Failure for a handle that is none.
std::shared_ptr<Communicator> find(ncclComm_t handle);
/// The handle is none from now on.
std::shared_ptr<Communicator> take(ncclComm_t handle);

}  // namespace scalemark::software_nccl
