// SPDX-License-Identifier: Apache-2.0
// Memory shared by the ranks of a node (MPI-3 shared-memory windows).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/mpi/comm.hpp"

namespace scalemark::mpi {

/// Collective over `ranks`. Throws OutOfMemory on all ranks if a node has less shared memory than
/// `bytes` (maximum over the ranks). Without this check, Open MPI's rank 0 would fail alone, with
/// the others waiting, if the file system is too small (containers: 64 MB).
void require_shared_memory(const Comm& ranks, std::uint64_t bytes);

/// Move-only owner of a shared-memory window. A default-constructed one is empty.
class SharedWindow {
 public:
  SharedWindow() = default;
  /// Collective over `ranks`, which must share memory (Comm::split_node()); same `bytes` on all
  /// ranks. The memory is zero and untouched: each page is placed on the NUMA node of the rank that
  /// writes to it first. Throws OutOfMemory on all ranks if there is not enough shared memory.
  SharedWindow(Comm ranks, std::size_t bytes);
  SharedWindow(SharedWindow&& other) noexcept;
  SharedWindow& operator=(SharedWindow&& other) noexcept;
  SharedWindow(const SharedWindow&) = delete;
  SharedWindow& operator=(const SharedWindow&) = delete;
  /// Collective, except while an exception unwinds: ranks are then not synchronised, and with
  /// several ranks the memory is not freed.
  ~SharedWindow();

  /// The same memory on every rank.
  std::span<std::uint8_t> bytes() const { return bytes_; }
  /// The ranks that share the memory.
  const Comm& ranks() const { return ranks_; }
  /// Collective. Afterwards every rank sees what any rank wrote before.
  void publish() const;

 private:
  Comm ranks_;
  MPI_Win window_ = MPI_WIN_NULL;
  std::span<std::uint8_t> bytes_;
};

}  // namespace scalemark::mpi
