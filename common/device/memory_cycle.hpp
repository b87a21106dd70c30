// SPDX-License-Identifier: Apache-2.0
// Allocates and frees memory repeatedly, for measuring the time of both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "common/device/device.hpp"

namespace scalemark::device {

/// A block that is allocated and freed again and again, with the plain calls only: without the
/// checks and zeros of Device::allocate().
class MemoryCycle {
 public:
  /// The calls that get() and give_back() make.
  struct Steps {
    std::string get, give_back;  ///< text for users: "mmap, a write to each page", "munmap"
    std::size_t page = 0;        ///< bytes of a host page; 0 if it is not host memory
    bool zeroes = false;         ///< whether get() gets new pages, which the kernel fills with 0
  };

  virtual ~MemoryCycle() = default;  ///< frees the block if it is allocated
  virtual Steps steps() const = 0;
  /// Allocates the block. Throws OutOfMemory.
  virtual void get() = 0;
  /// Frees the block.
  virtual void give_back() = 0;
  /// The block; only between get() and give_back().
  virtual void* data() const = 0;
};

/// Host memory, mapped and touched. Throws Unavailable if there are no huge pages, OutOfMemory if
/// too little memory is left.
std::unique_ptr<MemoryCycle> make_mapping_cycle(std::size_t bytes, bool huge);

/// Page-locking of existing host memory: get() calls mlock, give_back() munlock. Throws Unavailable
/// if this process may not lock that much memory.
std::unique_ptr<MemoryCycle> make_locking_cycle(std::size_t bytes);

/// Memory kinds of the CUDA runtime: pinned, write_combined, managed (touched by the host), device,
/// and registered, where get() registers existing pages. Throws Unavailable in a build without
/// CUDA, and if the device does not support the kind.
std::unique_ptr<MemoryCycle> make_cuda_memory_cycle(Device& device, MemoryKind kind,
                                                    std::size_t bytes);

/// Reason why mlock(2) of `bytes` failed, if this process lacks the permission; otherwise empty.
/// `error`: errno. `limit`: RLIMIT_MEMLOCK in bytes (RLIM_INFINITY: no limit).
std::string why_no_lock(int error, std::uint64_t limit, std::size_t bytes);

}  // namespace scalemark::device
