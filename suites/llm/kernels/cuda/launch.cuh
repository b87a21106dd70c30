// SPDX-License-Identifier: Apache-2.0
// What kernels over rows share: sizes of grids, reductions.
#pragma once

#include <algorithm>
#include <cstdint>

#include <cuda_runtime.h>

#include "common/device/cuda/check_launch.hpp"

namespace scalemark::llm::cuda {

constexpr int kThreads = 256;
constexpr std::int64_t kMaxBlocks = 1 << 16;  ///< threads loop over further elements

inline unsigned blocks_for(std::int64_t threads) {
  return static_cast<unsigned>(
      std::clamp<std::int64_t>((threads + kThreads - 1) / kThreads, 1, kMaxBlocks));
}

/// The first and the step of a thread's part of a grid's elements.
__device__ inline std::int64_t first_of_thread() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline std::int64_t threads_of_grid() {
  return static_cast<std::int64_t>(gridDim.x) * blockDim.x;
}

/// Maximum over a warp, returned to all its lanes.
__device__ inline std::int32_t largest_in_warp(std::int32_t value) {
  for (int lane = 16; lane > 0; lane /= 2)
    value = max(value, __shfl_xor_sync(0xFFFF'FFFFU, value, lane));
  return value;
}

/// Maximum over a block of kThreads, returned to all its threads. `room`: kThreads / 32 elements.
__device__ inline std::int32_t largest_in_block(std::int32_t value, std::int32_t* room) {
  value = largest_in_warp(value);
  __syncthreads();  // earlier reads of `room` are done
  if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = value;
  __syncthreads();
  for (int warp = 0; warp < kThreads / 32; ++warp) value = max(value, room[warp]);
  return value;
}

}  // namespace scalemark::llm::cuda
