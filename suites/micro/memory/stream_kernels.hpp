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

/// Arrays that the kernel reads; it writes one more.
int stream_reads(StreamKernel kernel);
/// STREAM counts no FLOP for copy, one an element for scale and add, two for triad.
int stream_flops(StreamKernel kernel);

inline constexpr double kStreamScalar = 3.0;

/// The operands of a kernel, by what they are in its formula: to = from, to = 3 from,
/// to = from + other, to = from + 3 other.
template <typename T>
struct StreamArrays {
  T* to;
  const T* from;
  const T* other;
};

/// Elements [begin, end). Plain stores, which bring a line into the cache before it is written.
template <typename T>
void stream(StreamKernel kernel, const StreamArrays<T>& arrays, std::size_t begin, std::size_t end);

/// The same past the caches (non-temporal stores), up to the edges that fill no line of 64 bytes.
/// The stores are complete when it returns.
template <typename T>
void stream_past_caches(StreamKernel kernel, const StreamArrays<T>& arrays, std::size_t begin,
                        std::size_t end);
/// Empty if this CPU has such stores, else why not.
std::string why_no_stores_past_caches();

}  // namespace scalemark::micro
