// SPDX-License-Identifier: Apache-2.0
// Test data with an exactly known result for every routine, type and reduction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/collective/call.hpp"

namespace scalemark::micro {

/// Input data of every rank, as a function of seed, rank and position. Data that are only moved are
/// arbitrary bits. Data to be reduced are integers for which every partial result is exact in the
/// type, in any order. Values repeat after kPeriod elements, which is not a power of two, so that a
/// shift by a page or a chunk is detected.
class KnownData {
 public:
  static constexpr std::size_t kPeriod = 4099;

  /// Data that are only moved.
  KnownData(std::uint64_t seed, collective::DType type);
  /// Data that are reduced over `ranks` ranks.
  KnownData(std::uint64_t seed, collective::DType type, collective::ReduceOp op, int ranks);

  /// Writes elements [position, position + count) of the data of `rank`, encoded in the type.
  void write(void* to, std::size_t count, int rank, std::size_t position) const;
  /// Number of elements that differ from the data of `rank` from `position` on.
  std::size_t wrong(const void* data, std::size_t count, int rank, std::size_t position) const;
  /// Number of elements that differ from the reduction over all ranks from `position` on.
  /// Floating-point averages may differ by 2 units in the last place, as in nccl-tests (a library
  /// may divide first). Everything else is compared bit by bit.
  std::size_t wrong_reduction(const void* data, std::size_t count, std::size_t position) const;

 private:
  using Bytes = std::vector<std::uint8_t>;
  Bytes period_of(int rank) const;
  const Bytes& kept_period_of(int rank) const;
  /// Number of elements that differ from `period`; unless `exact`, by more than 2 units in the last
  /// place.
  std::size_t differing(const void* data, std::size_t count, const Bytes& period,
                        std::size_t position, bool exact) const;

  std::uint64_t seed_;
  collective::DType type_;
  collective::ReduceOp op_ = collective::ReduceOp::sum;
  int ranks_ = 0;  ///< 0: data are only moved
  mutable int kept_rank_ = -1;
  mutable Bytes kept_, reduced_;
};

/// A contiguous part of a routine's result on a rank, and its source.
struct Block {
  static constexpr int kReduced = -1;
  std::size_t offset = 0;  ///< in elements from the start of the result
  std::size_t count = 0;
  int sender = kReduced;     ///< source rank, or kReduced: the reduction over all ranks
  std::size_t position = 0;  ///< first element in the sender's input or in the full reduction
};
/// All blocks that `call` writes on `rank`; empty if there are none. In an alltoall with counts
/// either all ranks send a rank the same, or each sends the same to all.
std::vector<Block> result_blocks(const collective::Call& call, int rank, int size);

}  // namespace scalemark::micro
