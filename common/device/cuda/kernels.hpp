// SPDX-License-Identifier: Apache-2.0
// Functions that launch our kernels, for sources that nvcc does not compile.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

namespace scalemark::device::kernels {

/// One thread that waits until `*go` is not 0. After `limit_ns` on the device's clock it writes 1
/// to `*gave_up` and ends. Both are in host memory that the device can access.
cudaError_t wait_for(const int* go, int* gave_up, std::uint64_t limit_ns, cudaStream_t stream);

/// Copies with as many threads as run at a time on `processors` multiprocessors; each has four
/// loads under way, of 16 bytes if both addresses are aligned.
cudaError_t copy(void* to, const void* from, std::size_t bytes, int processors,
                 cudaStream_t stream);

/// Launches an empty kernel.
cudaError_t nothing(cudaStream_t stream);

/// Writes the device's clock (ns) to `*to`.
cudaError_t stamp(std::uint64_t* to, cudaStream_t stream);

/// One thread that waits until `*question` is 1 and writes 1 to `*answer`, then continues with 2,
/// up to `count`. It ends when it waited `limit_ns` for a question, on the device's clock. Both are
/// in host memory that the device can access.
cudaError_t answer(const int* question, int* answer, int count, std::uint64_t limit_ns,
                   cudaStream_t stream);

/// STREAM's four loops: to = from, 3 from, from + other, or from + 3 other, for `loop` 0 to 3.
/// Threads and loads as in copy().
cudaError_t stream_loop(int loop, double* to, const double* from, const double* other,
                        std::size_t count, int processors, cudaStream_t stream);
cudaError_t stream_loop(int loop, float* to, const float* from, const float* other,
                        std::size_t count, int processors, cudaStream_t stream);

/// One thread that makes `loads` loads, each of words[position], which is the next position. The
/// first position is `*at`; the last one is written to it.
cudaError_t chase(const std::uint64_t* words, std::uint64_t* at, std::uint64_t loads,
                  cudaStream_t stream);

}  // namespace scalemark::device::kernels
