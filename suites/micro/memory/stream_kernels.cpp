// SPDX-License-Identifier: Apache-2.0
// STREAM loops, compiled for several instruction sets.
#include "suites/micro/memory/stream_kernels.hpp"

#include <fmt/format.h>

#include "common/base/clones.hpp"
#include "common/base/error.hpp"

namespace scalemark::micro {
namespace {

// One function per loop and type, so that each is compiled for all instruction sets. The compiler
// must not replace the copy loop by memcpy, which would use other stores.
#define SCALEMARK_STREAM_LOOPS(T)                                                                \
  SCALEMARK_CLONES void copy_loop(T* __restrict to, const T* from, const T*, std::size_t begin,  \
                                  std::size_t end) {                                             \
    for (std::size_t i = begin; i < end; ++i) to[i] = from[i];                                   \
  }                                                                                              \
  SCALEMARK_CLONES void scale_loop(T* __restrict to, const T* from, const T*, std::size_t begin, \
                                   std::size_t end) {                                            \
    for (std::size_t i = begin; i < end; ++i) to[i] = static_cast<T>(kStreamScalar) * from[i];   \
  }                                                                                              \
  SCALEMARK_CLONES void add_loop(T* __restrict to, const T* from, const T* other,                \
                                 std::size_t begin, std::size_t end) {                           \
    for (std::size_t i = begin; i < end; ++i) to[i] = from[i] + other[i];                        \
  }                                                                                              \
  SCALEMARK_CLONES void triad_loop(T* __restrict to, const T* from, const T* other,              \
                                   std::size_t begin, std::size_t end) {                         \
    for (std::size_t i = begin; i < end; ++i)                                                    \
      to[i] = from[i] + static_cast<T>(kStreamScalar) * other[i];                                \
  }
SCALEMARK_STREAM_LOOPS(double)
SCALEMARK_STREAM_LOOPS(float)
#undef SCALEMARK_STREAM_LOOPS

}  // namespace

std::string_view to_string(StreamKernel kernel) {
  switch (kernel) {
    case StreamKernel::copy:
      return "copy";
    case StreamKernel::scale:
      return "scale";
    case StreamKernel::add:
      return "add";
    case StreamKernel::triad:
      break;
  }
  return "triad";
}

StreamKernel stream_kernel_from(std::string_view text) {
  for (const StreamKernel one :
       {StreamKernel::copy, StreamKernel::scale, StreamKernel::add, StreamKernel::triad}) {
    if (text == to_string(one)) return one;
  }
  throw UsageError(
      fmt::format("'{}' is not a loop of STREAM; allowed: copy, scale, add, triad", text));
}

int stream_reads(StreamKernel kernel) {
  return kernel == StreamKernel::copy || kernel == StreamKernel::scale ? 1 : 2;
}

int stream_flops(StreamKernel kernel) {
  switch (kernel) {
    case StreamKernel::copy:
      return 0;
    case StreamKernel::triad:
      return 2;
    default:
      return 1;
  }
}

template <typename T>
void stream(StreamKernel kernel, const StreamArrays<T>& arrays, std::size_t begin,
            std::size_t end) {
  switch (kernel) {
    case StreamKernel::copy:
      return copy_loop(arrays.to, arrays.from, arrays.other, begin, end);
    case StreamKernel::scale:
      return scale_loop(arrays.to, arrays.from, arrays.other, begin, end);
    case StreamKernel::add:
      return add_loop(arrays.to, arrays.from, arrays.other, begin, end);
    case StreamKernel::triad:
      return triad_loop(arrays.to, arrays.from, arrays.other, begin, end);
  }
}
template void stream(StreamKernel, const StreamArrays<double>&, std::size_t, std::size_t);
template void stream(StreamKernel, const StreamArrays<float>&, std::size_t, std::size_t);

}  // namespace scalemark::micro
