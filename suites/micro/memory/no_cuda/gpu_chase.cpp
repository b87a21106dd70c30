// SPDX-License-Identifier: Apache-2.0
// Build without CUDA: no loads by GPUs.
#include "common/base/error.hpp"
#include "suites/micro/memory/gpu_latency.hpp"

namespace scalemark::micro {

void start_chase(const std::uint64_t* /*words*/, std::uint64_t* /*at*/, std::uint64_t /*loads*/,
                 device::Stream& /*stream*/) {
  throw Unavailable("built without CUDA");
}

}  // namespace scalemark::micro
