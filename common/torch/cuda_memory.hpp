// SPDX-License-Identifier: Apache-2.0
// Peak and release of the GPU memory that LibTorch's caching allocator holds.
#pragma once

#include <cstdint>

#include <c10/core/Device.h>

namespace scalemark::torch_support {

/// Largest number of bytes of tensors on the GPU since cuda_reset_peak().
std::uint64_t cuda_peak_memory(c10::Device device);
void cuda_reset_peak(c10::Device device);
/// Returns the cached memory of freed tensors on all GPUs that were used.
void cuda_release_memory();

}  // namespace scalemark::torch_support
