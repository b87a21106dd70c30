// SPDX-License-Identifier: Apache-2.0
// Kernels for measurements: waiting, copying, empty kernel, dependent loads, STREAM's loops.
#include <algorithm>

#include "common/device/cuda/kernel_threads.hpp"
#include "common/device/cuda/kernels.hpp"
#include "common/device/cuda/this_thread.cuh"

namespace scalemark::device::kernels {
namespace {

constexpr int kThreads = 512;

struct Gpu {
  static __device__ std::uint64_t now_ns() {
    std::uint64_t ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
  }
  static __device__ void publish() { __threadfence_system(); }
};

__global__ void wait_kernel(const volatile int* go, volatile int* gave_up, std::uint64_t limit_ns) {
  wait_thread<Gpu>(go, gave_up, limit_ns);
}

template <typename T>
__global__ void copy_kernel(T* __restrict__ to, const T* __restrict__ from, std::size_t count) {
  copy_thread(this_thread(), to, from, count);
}

__global__ void empty_kernel() {}

__global__ void stamp_kernel(volatile std::uint64_t* to) { stamp_thread<Gpu>(to); }

__global__ void answer_kernel(const volatile int* question, volatile int* answer, int count,
                              std::uint64_t limit_ns) {
  answer_thread<Gpu>(question, answer, count, limit_ns);
}

__global__ void chase_kernel(const std::uint64_t* words, std::uint64_t* at, std::uint64_t loads) {
  chase_thread(words, at, loads);
}

/// Two blocks per multiprocessor suffice. Without the bound the compiler saves registers for more
/// of them, and stores the first results before it loads the last operands.
template <int kLoop, typename T>
__global__ __launch_bounds__(kThreads, 2) void loop_kernel(T* __restrict__ to,
                                                           const T* __restrict__ from,
                                                           const T* __restrict__ other,
                                                           std::size_t count, std::size_t wide) {
  loop_thread<kLoop>(this_thread(), to, from, other, count, wide);
}

bool is_aligned(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) % sizeof(uint4) == 0;
}

/// Blocks that run on a multiprocessor at a time. Asked once for each kernel: the launch is timed.
template <typename... Parameters>
int blocks_per_processor(void (*kernel)(Parameters...)) {
  int blocks = 0;
  if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, kThreads, 0) != cudaSuccess)
    cudaGetLastError();  // the launch reports what is wrong
  return std::max(blocks, 1);
}

/// Blocks that fill the multiprocessors, but no more than `threads` threads need.
int blocks_within(std::size_t threads, int per_processor, int processors) {
  const std::size_t needed = (threads + kThreads - 1) / kThreads;
  return static_cast<int>(std::min(
      needed, static_cast<std::size_t>(per_processor) * static_cast<std::size_t>(processors)));
}

template <int kLoop, typename T>
cudaError_t launch_one(T* to, const T* from, const T* other, std::size_t count, int processors,
                       cudaStream_t stream) {
  const bool aligned = is_aligned(to) && is_aligned(from) && is_aligned(other);
  const std::size_t wide = aligned ? count / Wide<T>::kLanes : 0;
  static const int per_processor = blocks_per_processor(loop_kernel<kLoop, T>);
  const std::size_t threads = (aligned ? wide : count) / kLoads + 1;
  const int blocks = blocks_within(threads, per_processor, processors);
  loop_kernel<kLoop><<<blocks, kThreads, 0, stream>>>(to, from, other, count, wide);
  return cudaGetLastError();
}

template <typename T>
cudaError_t launch_loop(int loop, T* to, const T* from, const T* other, std::size_t count,
                        int processors, cudaStream_t stream) {
  switch (loop) {
    case 0:
      return launch_one<0>(to, from, other, count, processors, stream);
    case 1:
      return launch_one<1>(to, from, other, count, processors, stream);
    case 2:
      return launch_one<2>(to, from, other, count, processors, stream);
    case 3:
      return launch_one<3>(to, from, other, count, processors, stream);
    default:
      return cudaErrorInvalidValue;
  }
}

template <typename T>
void launch_copy(T* to, const T* from, std::size_t count, int processors, cudaStream_t stream) {
  static const int per_processor = blocks_per_processor(copy_kernel<T>);
  const int blocks = blocks_within(count / kLoads + 1, per_processor, processors);
  copy_kernel<<<blocks, kThreads, 0, stream>>>(to, from, count);
}

}  // namespace

cudaError_t wait_for(const int* go, int* gave_up, std::uint64_t limit_ns, cudaStream_t stream) {
  wait_kernel<<<1, 1, 0, stream>>>(go, gave_up, limit_ns);
  return cudaGetLastError();
}

cudaError_t copy(void* to, const void* from, std::size_t bytes, int processors,
                 cudaStream_t stream) {
  const std::size_t wide = is_aligned(to) && is_aligned(from) ? bytes / sizeof(uint4) : 0;
  if (wide > 0)
    launch_copy(static_cast<uint4*>(to), static_cast<const uint4*>(from), wide, processors, stream);
  const std::size_t done = wide * sizeof(uint4);
  if (done < bytes) {
    launch_copy(static_cast<char*>(to) + done, static_cast<const char*>(from) + done, bytes - done,
                processors, stream);
  }
  return cudaGetLastError();
}

cudaError_t nothing(cudaStream_t stream) {
  empty_kernel<<<1, 1, 0, stream>>>();
  return cudaGetLastError();
}

cudaError_t stamp(std::uint64_t* to, cudaStream_t stream) {
  stamp_kernel<<<1, 1, 0, stream>>>(to);
  return cudaGetLastError();
}

cudaError_t answer(const int* question, int* answer, int count, std::uint64_t limit_ns,
                   cudaStream_t stream) {
  answer_kernel<<<1, 1, 0, stream>>>(question, answer, count, limit_ns);
  return cudaGetLastError();
}

cudaError_t chase(const std::uint64_t* words, std::uint64_t* at, std::uint64_t loads,
                  cudaStream_t stream) {
  chase_kernel<<<1, 1, 0, stream>>>(words, at, loads);
  return cudaGetLastError();
}

cudaError_t stream_loop(int loop, double* to, const double* from, const double* other,
                        std::size_t count, int processors, cudaStream_t stream) {
  return launch_loop(loop, to, from, other, count, processors, stream);
}

cudaError_t stream_loop(int loop, float* to, const float* from, const float* other,
                        std::size_t count, int processors, cudaStream_t stream) {
  return launch_loop(loop, to, from, other, count, processors, stream);
}

}  // namespace scalemark::device::kernels
