// SPDX-License-Identifier: Apache-2.0
// Build without LibTorch: no matrix products on CPUs.
#include "common/base/error.hpp"
#include "suites/micro/compute/gemm_engine.hpp"

namespace scalemark::micro {

std::unique_ptr<GemmEngine> make_cpu_gemm(Case& /*c*/, const GemmSize& /*size*/) {
  throw Unavailable("built without LibTorch, which multiplies matrices on CPUs");
}

}  // namespace scalemark::micro
