// SPDX-License-Identifier: Apache-2.0
// Kernels of SwiGLU and rotary positions: each reads and writes memory once.
#include "suites/llm/kernels/cuda/launch.cuh"
#include "suites/llm/kernels/cuda/rows.hpp"
#include "suites/llm/quant/elements.hpp"

namespace scalemark::llm::cuda {
namespace {

template <typename T, int Size>
struct alignas(sizeof(T) * Size) Some {
  T values[Size];
};

template <typename T, int Size>
__global__ void swiglu_kernel(const Some<T, Size>* gate, const Some<T, Size>* up,
                              std::int64_t count, Some<T, Size>* y) {
  for (std::int64_t i = first_of_thread(); i < count; i += threads_of_grid()) {
    const Some<T, Size> g = gate[i], u = up[i];
    Some<T, Size> result;
    for (int j = 0; j < Size; ++j)
      result.values[j] = narrow<T>(swiglu_of(widen(g.values[j]), widen(u.values[j])));
    y[i] = result;
  }
}

template <typename T, int Size>
__global__ void swiglu_gradient_kernel(const Some<T, Size>* dy, const Some<T, Size>* gate,
                                       const Some<T, Size>* up, std::int64_t count,
                                       Some<T, Size>* dgate, Some<T, Size>* dup) {
  for (std::int64_t i = first_of_thread(); i < count; i += threads_of_grid()) {
    const Some<T, Size> d = dy[i], g = gate[i], u = up[i];
    Some<T, Size> of_gate, of_up;
    for (int j = 0; j < Size; ++j) {
      const auto gradient =
          swiglu_gradient_of(widen(d.values[j]), widen(g.values[j]), widen(u.values[j]));
      of_gate.values[j] = narrow<T>(gradient.gate);
      of_up.values[j] = narrow<T>(gradient.up);
    }
    dgate[i] = of_gate;
    dup[i] = of_up;
  }
}

/// One thread per pair.
template <typename T>
__global__ void rotate_kernel(const Some<T, 2>* x, const Pair<Wide<T>>* table, Rotation shape,
                              Some<T, 2>* y) {
  const std::int64_t row = shape.heads * shape.pairs, count = shape.tokens * row;
  for (std::int64_t i = first_of_thread(); i < count; i += threads_of_grid()) {
    const Pair<Wide<T>> angle = table[i / row % shape.places * shape.pairs + i % shape.pairs];
    const Pair<Wide<T>> turned =
        rotated<Wide<T>>({widen(x[i].values[0]), widen(x[i].values[1])}, angle.real,
                         shape.back ? -angle.imaginary : angle.imaginary);
    y[i] = {narrow<T>(turned.real), narrow<T>(turned.imaginary)};
  }
}

/// Calls `launch` with the elements per access of a thread, and the number of accesses: 16 bytes
/// where all pointers are aligned to them, which a tensor that begins within another need not be.
template <typename T, typename Launch, typename... Pointers>
void by_width(std::int64_t count, const Launch& launch, const Pointers*... pointers) {
  constexpr int kWide = 16 / sizeof(T);
  const bool aligned = ((reinterpret_cast<std::uintptr_t>(pointers) % 16 == 0) && ...);
  if (aligned && count % kWide == 0) {
    launch(std::integral_constant<int, kWide>(), count / kWide);
  } else {
    launch(std::integral_constant<int, 1>(), count);
  }
}

template <int Size, typename T>
auto some(T* pointer) {
  using Element = std::remove_const_t<T>;
  using Group = Some<Element, Size>;
  return reinterpret_cast<std::conditional_t<std::is_const_v<T>, const Group, Group>*>(pointer);
}

}  // namespace

template <typename T>
void swiglu(const T* gate, const T* up, std::int64_t count, T* y, cudaStream_t stream) {
  if (count == 0) return;
  const auto launch = [&](auto size, std::int64_t groups) {
    constexpr int kSize = decltype(size)::value;
    swiglu_kernel<T, kSize><<<blocks_for(groups), kThreads, 0, stream>>>(
        some<kSize>(gate), some<kSize>(up), groups, some<kSize>(y));
  };
  by_width<T>(count, launch, gate, up, y);
  device::check_launch("swiglu");
}

template <typename T>
void swiglu_gradient(const T* dy, const T* gate, const T* up, std::int64_t count, T* dgate, T* dup,
                     cudaStream_t stream) {
  if (count == 0) return;
  const auto launch = [&](auto size, std::int64_t groups) {
    constexpr int kSize = decltype(size)::value;
    swiglu_gradient_kernel<T, kSize><<<blocks_for(groups), kThreads, 0, stream>>>(
        some<kSize>(dy), some<kSize>(gate), some<kSize>(up), groups, some<kSize>(dgate),
        some<kSize>(dup));
  };
  by_width<T>(count, launch, dy, gate, up, dgate, dup);
  device::check_launch("swiglu_gradient");
}

template <typename T>
void rotate(const T* x, const Wide<T>* table, const Rotation& shape, T* y, cudaStream_t stream) {
  const std::int64_t count = shape.tokens * shape.heads * shape.pairs;
  if (count == 0) return;
  rotate_kernel<T><<<blocks_for(count), kThreads, 0, stream>>>(
      some<2>(x), reinterpret_cast<const Pair<Wide<T>>*>(table), shape, some<2>(y));
  device::check_launch("rotate");
}

#define SCALEMARK_INSTANTIATE(T)                                                                   \
  template void swiglu(const T*, const T*, std::int64_t, T*, cudaStream_t);                        \
  template void swiglu_gradient(const T*, const T*, const T*, std::int64_t, T*, T*, cudaStream_t); \
  template void rotate(const T*, const Wide<T>*, const Rotation&, T*, cudaStream_t)
SCALEMARK_INSTANTIATE(float);
SCALEMARK_INSTANTIATE(double);
SCALEMARK_INSTANTIATE(c10::BFloat16);
SCALEMARK_INSTANTIATE(c10::Half);
#undef SCALEMARK_INSTANTIATE

}  // namespace scalemark::llm::cuda
