// SPDX-License-Identifier: Apache-2.0
// Getting memory and giving it back, for timing both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "common/device/device.hpp"

namespace scalemark::device {

/// A block that is got and given back again and again, by the calls themselves: none of the checks
/// and zeros of Device::allocate().
class MemoryCycle {
 public:
  /// What the calls are.
  struct Steps {
    std::string get, give_back;  ///< in words: "mmap, a write to each page", "munmap"
    std::size_t page = 0;        ///< bytes of a page of the host; 0: it is not the host's memory
    bool zeroes = false;         ///< whether get() takes fresh pages, which the kernel fills with 0
  };

  virtual ~MemoryCycle() = default;  ///< gives back what is held
  virtual Steps steps() const = 0;
  /// Throws OutOfMemory.
  virtual void get() = 0;
  /// What get() got last.
  virtual void give_back() = 0;
  /// Between get() and give_back().
  virtual void* data() const = 0;
};

/// Pages of the host, mapped and touched. Throws Unavailable where there are no huge pages,
/// OutOfMemory where too little is left.
std::unique_ptr<MemoryCycle> make_mapping_cycle(std::size_t bytes, bool huge);

/// Pages of the host that are there already: get() locks them in memory (mlock), give_back()
/// unlocks them. Throws Unavailable where this process may not lock so many bytes.
std::unique_ptr<MemoryCycle> make_locking_cycle(std::size_t bytes);

/// Kinds of the CUDA runtime: pinned, write_combined, managed (touched by the host), device, and
/// registered, where get() registers pages that are there already. Throws Unavailable in a build
/// without CUDA and where the device lacks the kind.
std::unique_ptr<MemoryCycle> make_cuda_memory_cycle(Device& device, MemoryKind kind,
                                                    std::size_t bytes);

/// Why mlock(2) of `bytes` failed, if this process lacks the right to: `error` is its errno,
/// `limit` RLIMIT_MEMLOCK in bytes (RLIM_INFINITY: none). Empty where it is another reason.
std::string why_no_lock(int error, std::uint64_t limit, std::size_t bytes);

}  // namespace scalemark::device
