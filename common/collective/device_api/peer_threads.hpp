// SPDX-License-Identifier: Apache-2.0
// What one thread of a collective does that loads and stores in the memory of other GPUs. nvcc
// compiles it for GPUs; tests/gpu/software compiles it for the host.
#pragma once

#include <cstddef>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "common/device/cuda/kernel_threads.hpp"

namespace scalemark::collective::kernels {

using device::kernels::Thread;

/// `Peers` of the following has at(rank): where the buffer of that rank begins.

/// What a thread loads from one peer before it adds. More loads under way hide the link's latency.
constexpr unsigned kPacks = 4;

/// Elements that are loaded at once; as many as fill 16 bytes, or one.
template <typename T, int kLanes>
struct alignas(kLanes * sizeof(T)) Pack {
  T lane[kLanes];
};
template <typename T>
constexpr int kWidest = 16 / sizeof(T);

/// The part of `units` that a rank reduces for all.
struct Share {
  std::size_t begin, end;
};
__device__ inline Share share_of(std::size_t units, int rank, int ranks) {
  const auto all = static_cast<std::size_t>(ranks);
  const std::size_t each = (units + all - 1) / all;
  const std::size_t begin = each * static_cast<std::size_t>(rank), end = begin + each;
  return {begin < units ? begin : units, end < units ? end : units};
}

// 16-bit numbers are added in fp32 and rounded once.
__device__ inline float widen(float value) { return value; }
__device__ inline float widen(__half value) { return __half2float(value); }
__device__ inline float widen(__nv_bfloat16 value) { return __bfloat162float(value); }
__device__ inline void narrow(float from, float& to) { to = from; }
__device__ inline void narrow(float from, __half& to) { to = __float2half_rn(from); }
__device__ inline void narrow(float from, __nv_bfloat16& to) { to = __float2bfloat16_rn(from); }

/// Adds `kCount` packs, `step` apart, of all ranks and gives the sums to all ranks.
template <unsigned kCount, typename T, int kLanes, typename Peers>
__device__ void add_packs(const Peers& in, const Peers& out, int ranks, std::size_t first,
                          std::size_t step) {
  using P = Pack<T, kLanes>;
  float sum[kCount][kLanes] = {};
  for (int peer = 0; peer < ranks; ++peer) {
    const P* const from = static_cast<const P*>(in.at(peer)) + first;
    P loaded[kCount];
    for (unsigned k = 0; k < kCount; ++k) loaded[k] = from[k * step];
    for (unsigned k = 0; k < kCount; ++k)
      for (int lane = 0; lane < kLanes; ++lane) sum[k][lane] += widen(loaded[k].lane[lane]);
  }
  P rounded[kCount];
  for (unsigned k = 0; k < kCount; ++k)
    for (int lane = 0; lane < kLanes; ++lane) narrow(sum[k][lane], rounded[k].lane[lane]);
  for (int peer = 0; peer < ranks; ++peer) {
    P* const to = static_cast<P*>(out.at(peer)) + first;
    for (unsigned k = 0; k < kCount; ++k) to[k * step] = rounded[k];
  }
}

/// Sums of the packs of a share.
template <typename T, int kLanes, typename Peers>
__device__ void add_share(Thread thread, const Peers& in, const Peers& out, int ranks,
                          Share share) {
  std::size_t i = share.begin + thread.first;
  for (; i + (kPacks - 1) * thread.step < share.end; i += kPacks * thread.step)
    add_packs<kPacks, T, kLanes>(in, out, ranks, i, thread.step);
  for (; i < share.end; i += thread.step) add_packs<1, T, kLanes>(in, out, ranks, i, thread.step);
}

/// Sum of `count` elements over all ranks: each rank adds its share and stores it everywhere, so
/// that every link carries (n - 1) / n of the buffer in and as much out. `is_aligned`: all buffers
/// begin at multiples of 16 bytes. In place if `out` is `in`.
template <typename T, typename Peers>
__device__ void allreduce_thread(Thread thread, const Peers& in, const Peers& out, int rank,
                                 int ranks, std::size_t count, bool is_aligned) {
  constexpr int kLanes = kWidest<T>;
  const std::size_t wide = is_aligned ? count / kLanes : 0, rest = wide * kLanes;
  add_share<T, kLanes>(thread, in, out, ranks, share_of(wide, rank, ranks));
  Share behind = share_of(count - rest, rank, ranks);
  add_share<T, 1>(thread, in, out, ranks, {rest + behind.begin, rest + behind.end});
}

/// Stores the parts of this rank, of `units` elements each, in the memory of those they are for.
/// Every rank begins with itself, so that no GPU is everybody's target at once.
template <typename T, typename Peers>
__device__ void alltoall_thread(Thread thread, const Peers& in, const Peers& out, int rank,
                                int ranks, std::size_t units) {
  const auto part = [units](const void* buffer, int of) {
    return static_cast<const T*>(buffer) + units * static_cast<std::size_t>(of);
  };
  for (int k = 0; k < ranks; ++k) {
    const int peer = (rank + k) % ranks;
    device::kernels::copy_thread(thread, const_cast<T*>(part(out.at(peer), rank)),
                                 part(in.at(rank), peer), units);
  }
}

}  // namespace scalemark::collective::kernels
