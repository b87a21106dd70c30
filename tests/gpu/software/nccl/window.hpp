// SPDX-License-Identifier: Apache-2.0
// Symmetric memory: that of all ranks, mapped into this process.
#pragma once

#include <cstddef>
#include <vector>

#include "tests/gpu/software/nccl/communicator.hpp"

namespace scalemark::software_nccl {

class Window {
 public:
  /// Collective. `memory`: `bytes` bytes of a device. Throws Failure.
  Window(Communicator& ranks, const void* memory, std::size_t bytes);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// Where the memory of a rank begins.
  std::byte* at(int rank) const { return mapped_[static_cast<std::size_t>(rank)].begin; }

 private:
  struct Mapping {
    void* pages = nullptr;
    std::size_t bytes = 0;
    std::byte* begin = nullptr;
  };
  static Mapping map(const SharedMemory& memory, std::size_t bytes);

  std::vector<Mapping> mapped_;
};

}  // namespace scalemark::software_nccl
