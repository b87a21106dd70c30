// SPDX-License-Identifier: Apache-2.0
// Copies and fills, each with the waiting that CUDA's page "API synchronization behavior" states.
#pragma once

#include <cstddef>
#include <memory>

#include <cuda_runtime_api.h>

#include "tests/gpu/software/cudart/device.hpp"

namespace scalemark::software_gpu {

/// cudaMemcpyAsync, and cudaMemcpy if `synchronous`.
void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
          const std::shared_ptr<Stream>& stream, bool synchronous);

/// cudaMemsetAsync, and cudaMemset if `synchronous`.
void fill(void* to, int value, std::size_t bytes, const std::shared_ptr<Stream>& stream,
          bool synchronous);

/// Where work that runs on `device` finds the bytes at `data`, which a kernel got as an argument.
/// Fails with cudaErrorIllegalAddress where a GPU could not reach it.
void* reach_from_kernel(const void* data, int device);

}  // namespace scalemark::software_gpu
