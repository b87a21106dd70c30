// SPDX-License-Identifier: Apache-2.0
// STREAM loops with MOVNTPD and MOVNTPS, 16 bytes per store. Every x86-64 CPU has them; four fill a
// line, the unit of transfer to memory.
#include <algorithm>
#include <cstdint>

#include <emmintrin.h>

#include "suites/micro/memory/stream_kernels.hpp"

namespace scalemark::micro {
namespace {

constexpr std::size_t kLine = 64;

__m128d load(const double* from) { return _mm_loadu_pd(from); }
__m128 load(const float* from) { return _mm_loadu_ps(from); }
__m128d times(__m128d x) { return _mm_mul_pd(_mm_set1_pd(kStreamScalar), x); }
__m128 times(__m128 x) { return _mm_mul_ps(_mm_set1_ps(static_cast<float>(kStreamScalar)), x); }
__m128d plus(__m128d x, __m128d y) { return _mm_add_pd(x, y); }
__m128 plus(__m128 x, __m128 y) { return _mm_add_ps(x, y); }
void store(double* to, __m128d x) { _mm_stream_pd(to, x); }
void store(float* to, __m128 x) { _mm_stream_ps(to, x); }

template <StreamKernel kKernel, typename T>
void whole_lines(const StreamArrays<T>& arrays, std::size_t begin, std::size_t end) {
  constexpr std::size_t kStep = 16 / sizeof(T);
  for (std::size_t i = begin; i < end; i += kStep) {
    if constexpr (kKernel == StreamKernel::copy)
      store(arrays.to + i, load(arrays.from + i));
    else if constexpr (kKernel == StreamKernel::scale)
      store(arrays.to + i, times(load(arrays.from + i)));
    else if constexpr (kKernel == StreamKernel::add)
      store(arrays.to + i, plus(load(arrays.from + i), load(arrays.other + i)));
    else
      store(arrays.to + i, plus(load(arrays.from + i), times(load(arrays.other + i))));
  }
}

}  // namespace

template <typename T>
void stream_non_temporal(StreamKernel kernel, const StreamArrays<T>& arrays, std::size_t begin,
                         std::size_t end) {
  const auto address = reinterpret_cast<std::uintptr_t>(arrays.to + begin);
  const std::size_t ahead = (kLine - address % kLine) % kLine / sizeof(T);
  const std::size_t first = std::min(begin + ahead, end);
  const std::size_t lines = (end - first) / (kLine / sizeof(T));
  const std::size_t last = first + lines * (kLine / sizeof(T));
  stream(kernel, arrays, begin, first);
  switch (kernel) {
    case StreamKernel::copy:
      whole_lines<StreamKernel::copy>(arrays, first, last);
      break;
    case StreamKernel::scale:
      whole_lines<StreamKernel::scale>(arrays, first, last);
      break;
    case StreamKernel::add:
      whole_lines<StreamKernel::add>(arrays, first, last);
      break;
    case StreamKernel::triad:
      whole_lines<StreamKernel::triad>(arrays, first, last);
      break;
  }
  stream(kernel, arrays, last, end);
  _mm_sfence();
}
template void stream_non_temporal(StreamKernel, const StreamArrays<double>&, std::size_t,
                                  std::size_t);
template void stream_non_temporal(StreamKernel, const StreamArrays<float>&, std::size_t,
                                  std::size_t);

std::string why_no_non_temporal_stores() { return {}; }

}  // namespace scalemark::micro
