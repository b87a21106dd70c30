// SPDX-License-Identifier: Apache-2.0
// Converts a point to a collective call with its buffers.
#pragma once

#include <cstdint>
#include <optional>

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

/// Where the data of a call lie.
struct Placement {
  bool in_place = false;
  std::size_t unalign = 0;  ///< elements between the start of the memory and the data
  std::optional<collective::Registration> registration = std::nullopt;
};

/// Buffers of a call.
class CollectiveData {
 public:
  /// Allocates the buffers for the ranks of `comm`, all of the case or some. Collective over the
  /// case with symmetric registration.
  CollectiveData(Case& c, collective::Communicator& comm, collective::Call call,
                 const Placement& placement = {});

  /// With its buffers.
  const collective::Call& call() const { return call_; }
  /// Fills the inputs of a round.
  void fill(int round);
  /// Checks the result of a round.
  Case::Checked check(int round);

 private:
  device::Buffer allocate(collective::Communicator& comm, const Placement& placement,
                          std::size_t elements) const;
  KnownData data_of(int round) const;
  Case& c_;
  int rank_, size_;  ///< of the communicator
  collective::Call call_;
  bool in_place_;
  std::size_t in_base_, out_base_;  ///< where the data begin, in elements
  device::Buffer in_, out_;         ///< in place: only `out_`
};

}  // namespace scalemark::micro
