// SPDX-License-Identifier: Apache-2.0
// Memory that NCCL allocates and registers for one communicator.
#pragma once

#include <cstddef>
#include <functional>
#include <map>

#include <nccl.h>

#include "common/collective/communicator.hpp"
#include "common/collective/interruption.hpp"

namespace scalemark::collective {

/// A place in symmetric memory: a window, and bytes from its start.
struct WindowPlace {
  ncclWindow_t window = nullptr;
  std::size_t offset = 0;
};

/// Allocates device memory and registers it with a communicator of NCCL.
class NcclMemory {
 public:
  /// `check` throws for what NCCL refuses; `is_usable` says whether the communicator may be called
  /// still: one that failed is aborted, with all that it knows. All must outlive this.
  NcclMemory(ncclComm_t comm, Interruption& interruption, std::function<void(ncclResult_t)> check,
             std::function<bool()> is_usable);

  /// As Communicator::allocate(). The memory must not outlive this.
  device::Buffer allocate(std::size_t bytes, Registration how);
  /// Throws Unavailable unless `data` lies in symmetric memory of this communicator.
  WindowPlace find(const void* data) const;

 private:
  struct Block {
    std::size_t bytes = 0;
    void* handle = nullptr;         ///< of local memory
    ncclWindow_t window = nullptr;  ///< of symmetric memory
  };
  void release(void* data);

  ncclComm_t comm_;
  Interruption& interruption_;
  std::function<void(ncclResult_t)> check_;
  std::function<bool()> is_usable_;
  std::map<const char*, Block> blocks_;  ///< by their first byte
};

}  // namespace scalemark::collective
