// SPDX-License-Identifier: Apache-2.0
// Data whose way through any routine is known exactly, in every type and for every reduction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/collective/call.hpp"

namespace scalemark::micro {

/// What every rank has, as a function of seed, rank and position. Data that are only moved are any
/// bits; data that are reduced are integers chosen so that every partial result is exact in the
/// type, whatever the order. Values repeat after kPeriod elements, which is no power of two, so
/// that a shift by a page or a chunk shows.
class KnownData {
 public:
  static constexpr std::size_t kPeriod = 4099;

  /// Data that are moved.
  KnownData(std::uint64_t seed, collective::DType type);
  /// Data that `ranks` ranks reduce.
  KnownData(std::uint64_t seed, collective::DType type, collective::ReduceOp op, int ranks);

  /// Elements [position, position + count) of what `rank` has, as bytes of the type.
  void write(void* to, std::size_t count, int rank, std::size_t position) const;
  /// Elements among `count` that differ from what `rank` has at `position`.
  std::size_t wrong(const void* data, std::size_t count, int rank, std::size_t position) const;
  /// Elements that differ from the reduction over all ranks at `position`. Averages in floating
  /// point may be off by 2 units in the last place, as nccl-tests allows (a library may divide
  /// first); everything else is compared bit by bit.
  std::size_t wrong_reduction(const void* data, std::size_t count, std::size_t position) const;

 private:
  using Bytes = std::vector<std::uint8_t>;
  Bytes period_of(int rank) const;
  const Bytes& kept_period_of(int rank) const;
  /// Elements that differ from those of `period`; unless `exact`, those that are far from them.
  std::size_t differing(const void* data, std::size_t count, const Bytes& period,
                        std::size_t position, bool exact) const;

  std::uint64_t seed_;
  collective::DType type_;
  collective::ReduceOp op_ = collective::ReduceOp::sum;
  int ranks_ = 0;  ///< 0: the data are moved
  mutable int kept_rank_ = -1;
  mutable Bytes kept_, reduced_;
};

/// A stretch of what a routine leaves on a rank, and where it comes from.
struct Block {
  static constexpr int kReduced = -1;
  std::size_t offset = 0;  ///< elements from the begin of the result
  std::size_t count = 0;
  int sender = kReduced;     ///< whose data, or the reduction over all
  std::size_t position = 0;  ///< the first element, in the sender's input or in the reduced whole
};
/// Everything that `call` leaves on `rank`; nothing where it leaves nothing.
std::vector<Block> result_blocks(const collective::Call& call, int rank, int size);

}  // namespace scalemark::micro
