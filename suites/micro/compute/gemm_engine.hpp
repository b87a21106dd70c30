// SPDX-License-Identifier: Apache-2.0
// Who computes a matrix product.
#pragma once

#include <memory>
#include <string>

#include "common/core/case.hpp"
#include "suites/micro/compute/gemm_data.hpp"

namespace scalemark::micro {

/// One product with its matrices in place.
class GemmEngine {
 public:
  virtual ~GemmEngine() = default;
  virtual void start() = 0;   ///< computes, or enqueues
  virtual void finish() = 0;  ///< what was started is done
  /// Looks at the result, and spoils it.
  virtual GemmCheck check() = 0;
};

/// LibTorch on the host, with c.threads() threads. Skips the case for a precision that it lacks;
/// throws Unavailable in a build without LibTorch.
std::unique_ptr<GemmEngine> make_cpu_gemm(Case& c, const GemmSize& size);

/// cuBLASLt on this rank's GPU: the fastest of the algorithms that its heuristic offers (fact
/// `algorithms`: how many were tried). Skips the case for a precision that the GPU lacks; throws
/// Unavailable in a build without CUDA.
std::unique_ptr<GemmEngine> make_gpu_gemm(Case& c, const GemmSize& size);

}  // namespace scalemark::micro
