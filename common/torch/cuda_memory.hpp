// SPDX-License-Identifier: Apache-2.0
// LibTorch's memory on a GPU.
#pragma once

#include <cstdint>

#include <c10/core/Device.h>

namespace scalemark::torch_support {

/// Largest number of bytes of tensors on the GPU since cuda_reset_peak().
std::uint64_t cuda_peak_memory(c10::Device device);
void cuda_reset_peak(c10::Device device);
/// Gives back what LibTorch keeps of freed tensors, on all GPUs that were used.
void cuda_release_memory();

}  // namespace scalemark::torch_support
