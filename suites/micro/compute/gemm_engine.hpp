// SPDX-License-Identifier: Apache-2.0
// Interface of the libraries that compute a matrix product.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/core/case.hpp"
#include "suites/micro/compute/gemm_data.hpp"

namespace scalemark::micro {

/// A product's result as it lies in memory.
struct GemmResult {
  std::vector<std::uint8_t> bytes;
  std::size_t element_bytes = 1;
};

/// One product with its matrices allocated, and filled with normal numbers.
class GemmEngine {
 public:
  virtual ~GemmEngine() = default;
  /// Writes both operands.
  virtual void fill(GemmValues values) = 0;
  virtual void start() = 0;   ///< computes or enqueues the product
  virtual void finish() = 0;  ///< waits for started products
  /// Operand A on the host, which the operation before writes in a step; empty on a GPU.
  virtual std::span<const std::byte> a() const { return {}; }
  /// A copy of the finished product's result, on the host.
  virtual GemmResult result() = 0;
  /// Checks the result of known values, then overwrites it.
  virtual GemmCheck check() = 0;
};

/// LibTorch on the host with this rank's compute threads. Skips the case if it does not support the
/// precision; throws Unavailable in a build without LibTorch.
std::unique_ptr<GemmEngine> make_cpu_gemm(Case& c, const GemmSize& size);

/// cuBLASLt on this rank's GPU in `stream`, with the fastest of the algorithms that its heuristic
/// proposes for normal values. fp8 sums in fewer bits where axis fast_accumulation says so.
/// Fact `algorithms`: number of algorithms tried. Throws Unavailable if the GPU does not support
/// the precision, or in a build without CUDA.
std::unique_ptr<GemmEngine> make_gpu_gemm(Case& c, const GemmSize& size, device::Stream& stream);

/// That of axis `device`.
inline std::unique_ptr<GemmEngine> make_gemm(Case& c, const GemmSize& size,
                                             device::Stream& stream) {
  return c.text("device") == "cuda" ? make_gpu_gemm(c, size, stream) : make_cpu_gemm(c, size);
}

}  // namespace scalemark::micro
