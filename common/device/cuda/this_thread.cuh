// SPDX-License-Identifier: Apache-2.0
// The calling thread among those of a launch.
#pragma once

#include "common/device/cuda/kernel_threads.hpp"

namespace scalemark::device::kernels {

/// In a grid of one dimension whose threads share a range.
__device__ inline Thread this_thread() {
  return {static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x,
          static_cast<std::size_t>(gridDim.x) * blockDim.x};
}

}  // namespace scalemark::device::kernels
