// SPDX-License-Identifier: Apache-2.0
// A communicator of our own: owned, errors as exceptions, the few operations the harness itself
// needs. What benchmarks measure goes through collective::Communicator.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

#include "common/base/error.hpp"

namespace scalemark::mpi {

/// Throws Error with MPI's class and text unless `code` is MPI_SUCCESS.
void check(int code, Where where = {});

/// Move-only owner of a communicator. A default-constructed one holds MPI_COMM_NULL.
class Comm {
 public:
  Comm() = default;
  /// Takes ownership and sets MPI_ERRORS_RETURN.
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
  /// Collective. `color` < 0: this rank gets an invalid Comm.
  Comm split(int color, int key) const;
  /// Collective. Ranks that share memory (one node).
  Comm split_node() const;

  /// Collective. Blocks; the ranks spin.
  void barrier() const;
  /// Collective. Blocks; the waiting ranks sleep between polls (10 us first, then longer, at most
  /// `poll_us`), so that they leave their cores to the others.
  void sleeping_barrier(int poll_us = 1000) const;
  std::int64_t max(std::int64_t value) const;  ///< Collective.
  std::int64_t min(std::int64_t value) const;  ///< Collective.
  std::int64_t sum(std::int64_t value) const;  ///< Collective.
  /// Collective. Element-wise maximum, in place.
  void max(std::span<std::int64_t> values) const;
  /// Collective. `value` of `root` on all ranks.
  std::string broadcast(const std::string& value, int root = 0) const;
  /// Collective. Texts of all ranks on rank 0 (empty elsewhere).
  std::vector<std::string> gather(const std::string& value) const;
  /// Collective. Texts of all ranks on all ranks.
  std::vector<std::string> all_gather(const std::string& value) const;
  /// Collective. To each rank its text of `values`, which counts on rank 0 only.
  std::string scatter(const std::vector<std::string>& values) const;
  /// Collective. Gathers `values` (equal length on all ranks) to rank 0 as [rank][i], in slabs so
  /// that no count exceeds an int. Empty elsewhere.
  std::vector<std::uint64_t> gather(std::span<const std::uint64_t> values) const;
  std::vector<double> gather(std::span<const double> values) const;

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace scalemark::mpi
