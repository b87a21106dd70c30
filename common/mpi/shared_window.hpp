// SPDX-License-Identifier: Apache-2.0
// Memory that ranks of one node share (MPI-3 shared windows).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/mpi/comm.hpp"

namespace scalemark::mpi {

/// Collective over `ranks`. Throws OutOfMemory, on all of them alike, where some node has less than
/// `bytes` (the largest that a rank gives) for memory that its ranks share. Open MPI's rank 0 would
/// fail alone where the file system is too small (containers: 64 MB), with the others waiting.
void require_shared_memory(const Comm& ranks, std::uint64_t bytes);

/// Move-only owner of a shared window. A default-constructed one is empty.
class SharedWindow {
 public:
  SharedWindow() = default;
  /// Collective over `ranks`, which must share memory (Comm::split_node()), with equal `bytes`. The
  /// memory is zero and untouched: a page comes to lie on the NUMA node of the rank that first
  /// writes to it. Throws OutOfMemory, on all of them alike, if there is no room for it.
  SharedWindow(Comm ranks, std::size_t bytes);
  SharedWindow(SharedWindow&& other) noexcept;
  SharedWindow& operator=(SharedWindow&& other) noexcept;
  SharedWindow(const SharedWindow&) = delete;
  SharedWindow& operator=(const SharedWindow&) = delete;
  /// Collective, unless an exception unwinds: then the ranks are not together, and several leave
  /// the memory behind.
  ~SharedWindow();

  /// The same memory on every rank.
  std::span<std::uint8_t> bytes() const { return bytes_; }
  /// Those that share it.
  const Comm& ranks() const { return ranks_; }
  /// Collective. All see afterwards what any wrote before.
  void publish() const;

 private:
  Comm ranks_;
  MPI_Win window_ = MPI_WIN_NULL;
  std::span<std::uint8_t> bytes_;
};

}  // namespace scalemark::mpi
