// SPDX-License-Identifier: Apache-2.0
// Allocates host memory on a chosen NUMA node.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "common/device/memory.hpp"

namespace scalemark::device {

/// Anonymous memory of kind pageable or huge_pages, touched by the calling thread. With `numa_node`
/// >= 0 it is placed there; if that node is full, the kernel uses another one. Throws OutOfMemory
/// if free_host_memory() or the free huge pages are not enough, Unavailable if the node cannot be
/// chosen.
Buffer allocate_host(std::size_t bytes, MemoryKind kind, int numa_node);

/// Reason why there are no huge pages, in one line; empty if some are free.
std::string why_no_huge_pages();

/// Throws OutOfMemory if fewer 2 MiB pages are free than `bytes` need.
void require_huge_pages(std::size_t bytes);

/// Page size in bytes: 2 MiB, or the system's.
std::size_t page_bytes(bool huge);

/// `bytes` rounded up to whole pages, at least one page.
std::size_t whole_pages(std::size_t bytes, bool huge);

/// Maps anonymous memory of whole pages without touching it; free it with munmap(2). Throws
/// OutOfMemory.
void* map_pages(std::size_t bytes, bool huge);

/// Writes to the first byte of each page.
void touch_pages(void* data, std::size_t bytes, std::size_t page);

/// Throws OutOfMemory unless this process may still use `bytes`. The check is needed because, with
/// overcommit, an allocation always succeeds and the process is killed when it touches the pages.
void require_host_memory(std::size_t bytes);

/// During its lifetime, memory that the kernel gives to this thread comes from `numa_node` (< 0: no
/// change). This includes memory that a driver allocates for the thread. Throws Unavailable if the
/// node cannot be chosen.
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
