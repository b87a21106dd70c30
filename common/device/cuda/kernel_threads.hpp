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

/// `loads` dependent loads: words[position] is the next position. Begins at `*at` and writes the
/// last position there.
__device__ inline void chase_thread(const std::uint64_t* words, std::uint64_t* at,
                                    std::uint64_t loads) {
  std::uint64_t position = *at;
  for (std::uint64_t i = 0; i < loads; ++i) position = words[position];
  *at = position;
}

/// Loads that a thread has under way before its first store. With one, latency and not the memory
/// bounds a GPU's bandwidth (Little's law).
constexpr unsigned kLoads = 4;

/// What a thread loads at once: 16 bytes, the widest access.
template <typename T>
struct alignas(16) Wide {
  static constexpr int kLanes = 16 / sizeof(T);
  T lane[kLanes];
};

template <typename T>
__device__ void copy_thread(Thread thread, T* __restrict__ to, const T* __restrict__ from,
                            std::size_t count) {
  std::size_t i = thread.first;
  for (; i + (kLoads - 1) * thread.step < count; i += kLoads * thread.step) {
    T loaded[kLoads];
    for (unsigned k = 0; k < kLoads; ++k) loaded[k] = from[i + k * thread.step];
    for (unsigned k = 0; k < kLoads; ++k) to[i + k * thread.step] = loaded[k];
  }
  for (; i < count; i += thread.step) to[i] = from[i];
}

/// One element of STREAM's loops: copy, scale, add, triad for `kLoop` 0 to 3.
template <int kLoop, typename T>
__device__ T loop_element(T from, T other) {
  constexpr T kScalar = 3;
  if constexpr (kLoop == 0) return from;
  if constexpr (kLoop == 1) return kScalar * from;
  if constexpr (kLoop == 2) return from + other;
  if constexpr (kLoop == 3) return from + kScalar * other;
}

/// STREAM's loops over `count` elements, of which the first `wide` times Wide<T>::kLanes are
/// loaded and stored in 16 bytes at once: 0 unless all addresses are aligned to 16 bytes.
template <int kLoop, typename T>
__device__ void loop_thread(Thread thread, T* __restrict__ to, const T* __restrict__ from,
                            const T* __restrict__ other, std::size_t count, std::size_t wide) {
  constexpr bool kTwo = kLoop >= 2;
  auto* const wide_to = reinterpret_cast<Wide<T>*>(to);
  const auto* const wide_from = reinterpret_cast<const Wide<T>*>(from);
  const auto* const wide_other = reinterpret_cast<const Wide<T>*>(other);
  for (std::size_t i = thread.first; i < wide; i += kLoads * thread.step) {
    Wide<T> a[kLoads] = {}, b[kLoads] = {};
    if (i + (kLoads - 1) * thread.step < wide) {
      for (unsigned k = 0; k < kLoads; ++k) {
        a[k] = wide_from[i + k * thread.step];
        if constexpr (kTwo) b[k] = wide_other[i + k * thread.step];
      }
      for (unsigned k = 0; k < kLoads; ++k) {
        for (int lane = 0; lane < Wide<T>::kLanes; ++lane)
          a[k].lane[lane] = loop_element<kLoop>(a[k].lane[lane], b[k].lane[lane]);
        wide_to[i + k * thread.step] = a[k];
      }
      continue;
    }
    for (std::size_t at = i; at < wide; at += thread.step) {
      a[0] = wide_from[at];
      if constexpr (kTwo) b[0] = wide_other[at];
      for (int lane = 0; lane < Wide<T>::kLanes; ++lane)
        a[0].lane[lane] = loop_element<kLoop>(a[0].lane[lane], b[0].lane[lane]);
      wide_to[at] = a[0];
    }
  }
  for (std::size_t i = wide * Wide<T>::kLanes + thread.first; i < count; i += thread.step)
    to[i] = loop_element<kLoop>(from[i], kTwo ? other[i] : T{});
}

}  // namespace scalemark::device::kernels
