// SPDX-License-Identifier: Apache-2.0
// Errors of the runtime: how they leave a function, and what CUDA calls them.
#pragma once

#include <cuda_runtime_api.h>

namespace scalemark::software_gpu {

/// Leaves an entry point with a code of CUDA.
struct Failure {
  cudaError_t code;
};

/// Throws Failure unless `condition` holds.
inline void require(bool condition, cudaError_t otherwise) {
  if (!condition) throw Failure{otherwise};
}

/// "cudaErrorInvalidValue" and "invalid argument", as CUDA writes them.
const char* name_of(cudaError_t code);
const char* text_of(cudaError_t code);

}  // namespace scalemark::software_gpu
