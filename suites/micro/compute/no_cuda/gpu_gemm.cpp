// SPDX-License-Identifier: Apache-2.0
// Build without CUDA: no matrix products on GPUs.
#include "common/base/error.hpp"
#include "suites/micro/compute/gemm_engine.hpp"

namespace scalemark::micro {

std::unique_ptr<GemmEngine> make_gpu_gemm(Case& /*c*/, const GemmSize& /*size*/,
                                          device::Stream& /*stream*/) {
  throw Unavailable("built without CUDA");
}

}  // namespace scalemark::micro
