// SPDX-License-Identifier: Apache-2.0
// Counters of LibTorch's caching allocator on GPUs.
#include "common/torch/cuda_memory.hpp"

#include <algorithm>

#include <c10/cuda/CUDACachingAllocator.h>

namespace scalemark::torch_support {

namespace allocator = c10::cuda::CUDACachingAllocator;

std::uint64_t cuda_peak_memory(c10::Device device) {
  const auto stats = allocator::getDeviceStats(device.index());
  constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, stats.allocated_bytes[kAll].peak));
}

void cuda_reset_peak(c10::Device device) {
  if (allocator::get()->initialized()) allocator::resetPeakStats(device.index());
}

void cuda_release_memory() {
  if (allocator::get()->initialized()) allocator::emptyCache();
}

}  // namespace scalemark::torch_support
