// SPDX-License-Identifier: Apache-2.0
// Communicator for the harness itself: owns its handle and throws exceptions. Benchmarks measure
// collective::Communicator instead.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

#include "common/base/error.hpp"

namespace scalemark::mpi {

/// Throws Error with MPI's error class and text unless `code` is MPI_SUCCESS.
void check(int code, Where where = {});

/// Move-only owner of a communicator. A default-constructed one holds MPI_COMM_NULL.
class Comm {
 public:
  Comm() = default;
  /// Takes ownership and sets the error handler MPI_ERRORS_RETURN.
  explicit Comm(MPI_Comm owned);
  Comm(Comm&& other) noexcept;
  Comm& operator=(Comm&& other) noexcept;
  Comm(const Comm&) = delete;
  Comm& operator=(const Comm&) = delete;
  ~Comm();

  MPI_Comm get() const { return comm_; }
  bool valid() const { return comm_ != MPI_COMM_NULL; }
  int rank() const { return rank_; }
  int size() const { return size_; }

  /// Collective.
  Comm duplicate() const;
  /// Collective. A rank with `color` < 0 gets an invalid Comm.
  Comm split(int color, int key) const;
  /// Collective. Splits into the ranks that share memory (one node).
  Comm split_node() const;

  /// Collective. Blocks; waiting ranks spin.
  void barrier() const;
  /// Collective. Blocks; waiting ranks sleep between polls and leave their cores to other work. The
  /// sleep starts at 10 us and grows up to `poll_us`.
  void sleeping_barrier(int poll_us = 1000) const;
  std::int64_t max(std::int64_t value) const;  ///< Collective.
  std::int64_t min(std::int64_t value) const;  ///< Collective.
  std::int64_t sum(std::int64_t value) const;  ///< Collective.
  /// Collective. Element-wise maximum, in place.
  void max(std::span<std::int64_t> values) const;
  /// Collective. Returns `value` of rank `root` on all ranks.
  std::string broadcast(const std::string& value, int root = 0) const;
  /// Collective. Returns the texts of all ranks on rank 0, an empty list on the others.
  std::vector<std::string> gather(const std::string& value) const;
  /// Collective. Returns the texts of all ranks on all ranks.
  std::vector<std::string> all_gather(const std::string& value) const;
  /// Collective. Returns `values[rank]` of rank 0 to each rank; `values` is ignored on other ranks.
  std::string scatter(const std::vector<std::string>& values) const;
  /// Collective. Gathers `values` (same length on all ranks) to rank 0 as [rank][i]; empty on the
  /// others. Works in slabs, so that no count exceeds an int.
  std::vector<std::uint64_t> gather(std::span<const std::uint64_t> values) const;
  std::vector<double> gather(std::span<const double> values) const;

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace scalemark::mpi
