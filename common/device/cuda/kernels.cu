// SPDX-License-Identifier: Apache-2.0
// Kernels for measurements: waiting, copying, empty kernel, STREAM's loops.
#include "common/device/cuda/kernel_threads.hpp"
#include "common/device/cuda/kernels.hpp"

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

__device__ Thread this_thread() {
  return {static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x,
          static_cast<std::size_t>(gridDim.x) * blockDim.x};
}

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

template <int kLoop, typename T>
__global__ void loop_kernel(T* __restrict__ to, const T* __restrict__ from,
                            const T* __restrict__ other, std::size_t count) {
  loop_thread<kLoop>(this_thread(), to, from, other, count);
}

template <typename T>
cudaError_t launch_loop(int loop, T* to, const T* from, const T* other, std::size_t count,
                        int blocks, cudaStream_t stream) {
  switch (loop) {
    case 0:
      loop_kernel<0><<<blocks, kThreads, 0, stream>>>(to, from, other, count);
      break;
    case 1:
      loop_kernel<1><<<blocks, kThreads, 0, stream>>>(to, from, other, count);
      break;
    case 2:
      loop_kernel<2><<<blocks, kThreads, 0, stream>>>(to, from, other, count);
      break;
    case 3:
      loop_kernel<3><<<blocks, kThreads, 0, stream>>>(to, from, other, count);
      break;
    default:
      return cudaErrorInvalidValue;
  }
  return cudaGetLastError();
}

}  // namespace

cudaError_t wait_for(const int* go, int* gave_up, std::uint64_t limit_ns, cudaStream_t stream) {
  wait_kernel<<<1, 1, 0, stream>>>(go, gave_up, limit_ns);
  return cudaGetLastError();
}

cudaError_t copy(void* to, const void* from, std::size_t bytes, int blocks, cudaStream_t stream) {
  const auto addresses =
      reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from);
  const std::size_t wide = addresses % sizeof(uint4) == 0 ? bytes / sizeof(uint4) : 0;
  if (wide > 0) {
    copy_kernel<<<blocks, kThreads, 0, stream>>>(static_cast<uint4*>(to),
                                                 static_cast<const uint4*>(from), wide);
  }
  const std::size_t done = wide * sizeof(uint4);
  if (done < bytes) {
    copy_kernel<<<blocks, kThreads, 0, stream>>>(
        static_cast<char*>(to) + done, static_cast<const char*>(from) + done, bytes - done);
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

cudaError_t stream_loop(int loop, double* to, const double* from, const double* other,
                        std::size_t count, int blocks, cudaStream_t stream) {
  return launch_loop(loop, to, from, other, count, blocks, stream);
}

cudaError_t stream_loop(int loop, float* to, const float* from, const float* other,
                        std::size_t count, int blocks, cudaStream_t stream) {
  return launch_loop(loop, to, from, other, count, blocks, stream);
}

}  // namespace scalemark::device::kernels
