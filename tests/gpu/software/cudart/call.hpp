// SPDX-License-Identifier: Apache-2.0
// What every entry point does around its work: errors, and faults that were asked for.
#pragma once

#include <utility>

#include <cuda_runtime_api.h>

#include "tests/gpu/software/cudart/failure.hpp"
#include "tests/gpu/software/cudart/recorder.hpp"

namespace scalemark::software_gpu {

/// What a call needs before it can begin.
enum class Needs { driver, device, context };

/// Throws Failure if that is not there: the driver is too old, no device is visible, or the current
/// device broke down. Counts the call, which may be the one that is to fail.
void enter(Needs needs);

/// Keeps the code for cudaGetLastError() of this thread; returns it.
cudaError_t remember(cudaError_t code);
cudaError_t take_last_error();

/// Runs the work of an entry point and returns its code. `name`: of the entry point, which calls.
template <typename Body>
cudaError_t call(Needs needs, Body&& body, const char* name = __builtin_FUNCTION()) noexcept {
  const RecordedCall record(name);
  try {
    enter(needs);
    std::forward<Body>(body)();
    return cudaSuccess;
  } catch (const Failure& failure) {
    return remember(failure.code);
  } catch (...) {
    return remember(cudaErrorUnknown);
  }
}

}  // namespace scalemark::software_gpu
