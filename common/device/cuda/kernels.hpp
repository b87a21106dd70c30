// SPDX-License-Identifier: Apache-2.0
// Launchers of our own kernels, for sources that nvcc does not compile.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

namespace scalemark::device::kernels {

/// One thread that waits until `*go` is not 0. After `limit_ns` of the device's clock it writes 1
/// to
/// `*gave_up` and ends. Both are host memory that the device sees.
cudaError_t wait_for(const int* go, int* gave_up, std::uint64_t limit_ns, cudaStream_t stream);

/// Copies by threads, 16 bytes each where both addresses allow it; `blocks` of 512 threads.
cudaError_t copy(void* to, const void* from, std::size_t bytes, int blocks, cudaStream_t stream);

/// Does nothing.
cudaError_t nothing(cudaStream_t stream);

/// Writes the device's clock (ns) to `*to`.
cudaError_t stamp(std::uint64_t* to, cudaStream_t stream);

/// One thread that waits until `*question` is 1, writes 1 to `*answer`, and so on up to `count`. It
/// ends after `limit_ns` of the device's clock. Both are host memory that the device sees.
cudaError_t answer(const int* question, int* answer, int count, std::uint64_t limit_ns,
                   cudaStream_t stream);

/// to = from, 3 from, from + other, from + 3 other, by `loop` 0 to 3 (STREAM's four).
cudaError_t stream_loop(int loop, double* to, const double* from, const double* other,
                        std::size_t count, int blocks, cudaStream_t stream);
cudaError_t stream_loop(int loop, float* to, const float* from, const float* other,
                        std::size_t count, int blocks, cudaStream_t stream);

}  // namespace scalemark::device::kernels
