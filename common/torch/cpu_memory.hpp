// SPDX-License-Identifier: Apache-2.0
// Memory of tensors on the CPU: kept between the steps of a training, and counted.
#pragma once

#include <cstdint>

namespace scalemark::torch_support {

/// Bytes of tensors on the CPU, as they were asked for.
struct CpuMemory {
  std::uint64_t in_use = 0;
  std::uint64_t peak = 0;  ///< largest in_use since the scope began
};

/// While it lives, memory for LibTorch's tensors on the CPU comes from a cache that takes back what
/// is freed, by size, and large blocks lie on huge pages where the system gives them on request.
/// LibTorch's own way is malloc and free: glibc returns the pages of large tensors to the system
/// and takes them anew, zeroed, in every step (MobileNetV2, batch 32, 100 px, NHWC: 62,000 page
/// faults, a third of the step). At the end all that is free goes back to the system; tensors that
/// live longer stay valid. One at a time; thread-safe.
class CpuMemoryScope {
 public:
  CpuMemoryScope();
  ~CpuMemoryScope();
  CpuMemoryScope(const CpuMemoryScope&) = delete;
  CpuMemoryScope& operator=(const CpuMemoryScope&) = delete;
};

/// What the current or the last scope counted.
CpuMemory cpu_memory();

}  // namespace scalemark::torch_support
