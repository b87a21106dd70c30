// SPDX-License-Identifier: Apache-2.0
// Interface of the engines that run a STREAM loop, and the values of its arrays.
#pragma once

#include <cstddef>
#include <memory>

#include "common/core/case.hpp"
#include "suites/micro/memory/stream_kernels.hpp"

namespace scalemark::micro {

/// One loop with its arrays allocated and filled. Values are small whole numbers, so every result
/// is exact.
class StreamEngine {
 public:
  virtual ~StreamEngine() = default;
  virtual void start() = 0;   ///< runs or enqueues the loop
  virtual void finish() = 0;  ///< waits for started loops
  /// Compares every element with the expected result, then overwrites it.
  virtual Case::Checked check() = 0;
};

/// Element `i` of the input arrays, and the expected result of the loop; `salt`: the rank.
template <typename T>
T stream_from(std::size_t i, std::size_t salt) {
  return static_cast<T>((i * 7 + salt) % 1021);
}
template <typename T>
T stream_other(std::size_t i) {
  return static_cast<T>(i * 3 % 509);
}
template <typename T>
T stream_expected(StreamKernel kernel, std::size_t i, std::size_t salt) {
  constexpr T kScalar = static_cast<T>(kStreamScalar);
  const T from = stream_from<T>(i, salt), other = stream_other<T>(i);
  switch (kernel) {
    case StreamKernel::copy:
      return from;
    case StreamKernel::scale:
      return kScalar * from;
    case StreamKernel::add:
      return from + other;
    case StreamKernel::triad:
      break;
  }
  return from + kScalar * other;
}

/// Arrays of `count` elements by the axes operation, stores, dtype and host_memory, with
/// this rank's compute threads, on NUMA node `node` (-1: any). Skips the case if this CPU lacks the
/// requested stores.
std::unique_ptr<StreamEngine> make_host_stream(Case& c, std::size_t count, int node);

/// The same in the memory of this rank's GPU. Skips the case if there is none; throws Unavailable
/// in a build without CUDA.
std::unique_ptr<StreamEngine> make_gpu_stream(Case& c, std::size_t count);

}  // namespace scalemark::micro
