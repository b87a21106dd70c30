// SPDX-License-Identifier: Apache-2.0
// Dependent loads by a GPU.
#include <cuda_runtime_api.h>

#include "common/device/cuda/check.hpp"
#include "common/device/cuda/kernels.hpp"
#include "suites/micro/memory/gpu_latency.hpp"

namespace scalemark::micro {

void start_chase(const std::uint64_t* words, std::uint64_t* at, std::uint64_t loads,
                 device::Stream& stream) {
  device::check(
      device::kernels::chase(words, at, loads, static_cast<cudaStream_t>(stream.native())));
}

}  // namespace scalemark::micro
