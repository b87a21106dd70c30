// SPDX-License-Identifier: Apache-2.0
// What one thread of each kernel does. nvcc compiles it for GPUs; tests/gpu/software compiles it
// for the host, where __device__ means nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

namespace scalemark::device::kernels {

/// A thread of a grid that shares a range: its first element, and the distance to its next one.
struct Thread {
  std::size_t first, step;
};

/// `Machine` of the following: static functions now_ns(), the device's clock, and publish(), which
/// makes earlier writes visible to the host.

/// Waits until `*go` is not 0; after `limit_ns` it writes 1 to `*gave_up` and ends.
template <typename Machine>
__device__ void wait_thread(const volatile int* go, volatile int* gave_up, std::uint64_t limit_ns) {
  const std::uint64_t start = Machine::now_ns();
  while (*go == 0) {
    if (Machine::now_ns() - start > limit_ns) {
      *gave_up = 1;
      Machine::publish();
      return;
    }
  }
}

/// Writes the device's clock to `*to`.
template <typename Machine>
__device__ void stamp_thread(volatile std::uint64_t* to) {
  *to = Machine::now_ns();
  Machine::publish();
}

/// Answers `count` questions, and ends when it waited `limit_ns` for one.
template <typename Machine>
__device__ void answer_thread(const volatile int* question, volatile int* answer, int count,
                              std::uint64_t limit_ns) {
  for (int i = 1; i <= count; ++i) {
    const std::uint64_t start = Machine::now_ns();
    while (*question != i) {
      if (Machine::now_ns() - start > limit_ns) return;
    }
    *answer = i;
    Machine::publish();
  }
}

template <typename T>
__device__ void copy_thread(Thread thread, T* __restrict__ to, const T* __restrict__ from,
                            std::size_t count) {
  for (std::size_t i = thread.first; i < count; i += thread.step) to[i] = from[i];
}

/// STREAM's loops: copy, scale, add, triad for `kLoop` 0 to 3.
template <int kLoop, typename T>
__device__ void loop_thread(Thread thread, T* __restrict__ to, const T* __restrict__ from,
                            const T* __restrict__ other, std::size_t count) {
  constexpr T kScalar = 3;
  for (std::size_t i = thread.first; i < count; i += thread.step) {
    if constexpr (kLoop == 0) to[i] = from[i];
    if constexpr (kLoop == 1) to[i] = kScalar * from[i];
    if constexpr (kLoop == 2) to[i] = from[i] + other[i];
    if constexpr (kLoop == 3) to[i] = from[i] + kScalar * other[i];
  }
}

}  // namespace scalemark::device::kernels
