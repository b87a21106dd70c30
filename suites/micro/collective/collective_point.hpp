// SPDX-License-Identifier: Apache-2.0
// From a point of axes to a call, and to buffers that hold its data.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/collective/communicator.hpp"
#include "common/core/case.hpp"
#include "suites/micro/data/known_data.hpp"

namespace scalemark::micro {

/// The call of a point without its buffers. `count` follows from `bytes`, which is what OSU's sizes
/// mean: what each rank sends (allgather, gather), what goes to each (alltoall, scatter), the
/// buffer (allreduce, reduce, broadcast), the whole input (reduce_scatter).
collective::Call call_of(const Params& params, collective::Routine routine, int ranks);

/// Bytes in all, as nccl-tests counts them: what a rank sends or gets in all.
std::uint64_t total_bytes(const collective::Call& call, int ranks);

/// Bytes of buffers that the rank with most of them needs.
std::uint64_t buffer_bytes(collective::Call call, bool in_place, int ranks);

/// Buffers of a call, and its operation.
class CollectiveData {
 public:
  /// Collective. Allocates, and binds the call to the communicator.
  CollectiveData(Case& c, collective::Communicator& comm, collective::Call call, bool in_place);

  collective::Operation& operation() { return *operation_; }
  /// Puts the inputs of a round in place.
  void fill(int round);
  /// What the operation left of a round's inputs.
  Case::Checked check(int round);

 private:
  KnownData data_of(int round) const;
  Case& c_;
  collective::Call call_;
  bool in_place_;
  std::size_t in_base_ = 0, out_base_ = 0;  ///< elements, in a buffer for both
  device::Buffer in_, out_;                 ///< in place: `out_` alone
  std::unique_ptr<collective::Operation> operation_;
};

}  // namespace scalemark::micro
