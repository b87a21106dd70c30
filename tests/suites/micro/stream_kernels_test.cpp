// SPDX-License-Identifier: Apache-2.0
// STREAM's loops against their definition, over any part of the arrays.
#include "suites/micro/memory/stream_kernels.hpp"

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/error.hpp"

namespace scalemark::micro {
namespace {

constexpr StreamKernel kKernels[] = {StreamKernel::copy, StreamKernel::scale, StreamKernel::add,
                                     StreamKernel::triad};

template <typename T>
T by_definition(StreamKernel kernel, T from, T other) {
  if (kernel == StreamKernel::copy) return from;
  if (kernel == StreamKernel::scale) return 3 * from;
  if (kernel == StreamKernel::add) return from + other;
  return from + 3 * other;
}

/// Elements of [begin, end) that are wrong, and elements outside that were touched.
template <typename T>
std::size_t wrong(StreamKernel kernel, bool past_caches, std::size_t begin, std::size_t end) {
  std::vector<T> to(300, T{-1}), from(300), other(300);
  for (std::size_t i = 0; i < from.size(); ++i) {
    from[i] = static_cast<T>(i * 7 % 101);
    other[i] = static_cast<T>(i % 13) + T{1};
  }
  const StreamArrays<T> arrays{to.data(), from.data(), other.data()};
  if (past_caches)
    stream_non_temporal(kernel, arrays, begin, end);
  else
    stream(kernel, arrays, begin, end);
  std::size_t count = 0;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const bool inside = i >= begin && i < end;
    count += to[i] == (inside ? by_definition(kernel, from[i], other[i]) : T{-1}) ? 0 : 1;
  }
  return count;
}

TEST(StreamKernels, FollowTheirDefinitionOnEveryPart) {
  for (const StreamKernel kernel : kKernels) {
    for (const bool past_caches : {false, true}) {
      if (past_caches && !why_no_non_temporal_stores().empty()) continue;
      for (std::size_t begin = 0; begin < 20; ++begin) {
        for (const std::size_t length : {0U, 1U, 3U, 8U, 17U, 64U, 200U}) {
          EXPECT_EQ(wrong<double>(kernel, past_caches, begin, begin + length), 0U)
              << to_string(kernel) << " " << past_caches << " " << begin << "+" << length;
          EXPECT_EQ(wrong<float>(kernel, past_caches, begin, begin + length), 0U)
              << to_string(kernel) << " " << past_caches << " " << begin << "+" << length;
        }
      }
    }
  }
}

TEST(StreamKernels, AreCountedAsStreamCounts) {
  EXPECT_EQ(stream_reads(StreamKernel::copy), 1);
  EXPECT_EQ(stream_reads(StreamKernel::triad), 2);
  EXPECT_EQ(stream_flops(StreamKernel::copy), 0);
  EXPECT_EQ(stream_flops(StreamKernel::add), 1);
  EXPECT_EQ(stream_flops(StreamKernel::triad), 2);
  for (const StreamKernel kernel : kKernels)
    EXPECT_EQ(stream_kernel_from(to_string(kernel)), kernel);
  EXPECT_THROW(stream_kernel_from("dot"), UsageError);
}

}  // namespace
}  // namespace scalemark::micro
