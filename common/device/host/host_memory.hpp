// SPDX-License-Identifier: Apache-2.0
// Host memory from the kernel, on a chosen NUMA node.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "common/device/memory.hpp"

namespace scalemark::device {

/// Fresh anonymous memory of kind pageable (4 KiB aligned) or huge_pages, touched by the calling
/// thread, on `numa_node` when >= 0 (the kernel falls back to another node when it is full). Throws
/// OutOfMemory when free_host_memory() or the free huge pages do not suffice, Unavailable for a
/// node that cannot be chosen.
Buffer allocate_host(std::size_t bytes, MemoryKind kind, int numa_node);

/// Why there are no huge pages, in one line; empty if some are free.
std::string why_no_huge_pages();

/// Throws OutOfMemory where fewer 2 MiB pages than `bytes` need are free.
void require_huge_pages(std::size_t bytes);

/// Bytes of a page: 2 MiB, or the system's.
std::size_t page_bytes(bool huge);

/// `bytes` in whole pages, one at least.
std::size_t whole_pages(std::size_t bytes, bool huge);

/// Fresh anonymous memory, whole pages, not touched; munmap(2) gives it back. Throws OutOfMemory.
void* map_pages(std::size_t bytes, bool huge);

/// Writes to the first byte of each page.
void touch_pages(void* data, std::size_t bytes, std::size_t page);

/// Throws OutOfMemory unless `bytes` are left for this process: with overcommit an allocation
/// always succeeds, and a process that touches too much is killed.
void require_host_memory(std::size_t bytes);

/// While it lives, memory that the kernel gives to this thread comes from `numa_node` (< 0: no
/// change), also memory that a driver allocates on its behalf. Throws Unavailable for a node that
/// cannot be chosen.
class PreferNode {
 public:
  explicit PreferNode(int numa_node);
  ~PreferNode();
  PreferNode(const PreferNode&) = delete;
  PreferNode& operator=(const PreferNode&) = delete;

 private:
  bool changed_ = false;
  int old_mode_ = 0;
  std::array<unsigned long, 16> old_nodes_{};
};

}  // namespace scalemark::device
