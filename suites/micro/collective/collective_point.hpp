// SPDX-License-Identifier: Apache-2.0
// Converts a point to a collective call with its buffers.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/collective/communicator.hpp"
#include "common/core/case.hpp"
#include "suites/micro/data/known_data.hpp"

namespace scalemark::micro {

/// The call of a point, without buffers. `count` is derived from `bytes` as in OSU: sent
/// per rank (allgather, gather), per destination (alltoall, scatter), the buffer (allreduce,
/// reduce, broadcast), the whole input (reduce_scatter), or sent to each neighbor. The neighbors
/// are those of `rank`; too small grids have none.
collective::Call call_of(const Point& point, collective::Routine routine, int ranks, int rank = 0);

/// Total bytes as in nccl-tests: all that a rank sends or receives.
std::uint64_t total_bytes(const collective::Call& call, int ranks);

/// Bytes of buffers on the rank that needs most.
std::uint64_t buffer_bytes(collective::Call call, bool in_place, int ranks);

/// Buffers of a call and the prepared operation.
class CollectiveData {
 public:
  /// Collective. Allocates the buffers and prepares the operation for the ranks of `comm`, all of
  /// the case or some.
  CollectiveData(Case& c, collective::Communicator& comm, collective::Call call, bool in_place);

  /// With its buffers.
  const collective::Call& call() const { return call_; }
  /// The bound operation.
  collective::Operation& operation() { return *operation_; }
  /// Fills the inputs of a round.
  void fill(int round);
  /// Checks the result of a round.
  Case::Checked check(int round);

 private:
  KnownData data_of(int round) const;
  Case& c_;
  int rank_, size_;  ///< of the communicator
  collective::Call call_;
  bool in_place_;
  std::size_t in_base_ = 0, out_base_ = 0;  ///< offsets in elements, in a shared buffer
  device::Buffer in_, out_;                 ///< in place: only `out_`
  std::unique_ptr<collective::Operation> operation_;
};

}  // namespace scalemark::micro
