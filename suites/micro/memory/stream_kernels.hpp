// SPDX-License-Identifier: Apache-2.0
// The four loops of STREAM (McCalpin 1995) over a part of three arrays in host memory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace scalemark::micro {

/// copy: c = a; scale: b = 3 c; add: c = a + b; triad: a = b + 3 c.
enum class StreamKernel { copy, scale, add, triad };
std::string_view to_string(StreamKernel kernel);
/// Throws UsageError.
StreamKernel stream_kernel_from(std::string_view text);

/// Number of arrays that the kernel reads; it writes one more.
int stream_reads(StreamKernel kernel);
/// FLOP per element as STREAM counts them: 0 for copy, 1 for scale and add, 2 for triad.
int stream_flops(StreamKernel kernel);

inline constexpr double kStreamScalar = 3.0;

/// Operands of a kernel: to = from, to = 3 from, to = from + other, to = from + 3 other.
template <typename T>
struct StreamArrays {
  T* to;
  const T* from;
  const T* other;
};

/// Runs elements [begin, end) with plain stores, which read a line into the cache before writing
/// it.
template <typename T>
void stream(StreamKernel kernel, const StreamArrays<T>& arrays, std::size_t begin, std::size_t end);

/// The same with non-temporal stores, except at the ends that do not fill a line of 64 bytes. The
/// stores are complete on return.
template <typename T>
void stream_non_temporal(StreamKernel kernel, const StreamArrays<T>& arrays, std::size_t begin,
                         std::size_t end);
/// Reason why this CPU has no non-temporal stores; empty if it has.
std::string why_no_non_temporal_stores();

}  // namespace scalemark::micro
