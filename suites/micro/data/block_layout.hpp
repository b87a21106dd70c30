// SPDX-License-Identifier: Apache-2.0
// Messages of blocks with gaps between them: where the blocks lie, copies, and the MPI datatype.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/core/axis.hpp"
#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "common/mpi/block_type.hpp"

namespace scalemark::micro {

/// The blocks of a message, which several messages repeat, one behind the other.
class BlockLayout {
 public:
  /// Of a point with axes bytes and those of block_axes(): a block in each stride, at its start or,
  /// if irregular, anywhere in it.
  BlockLayout(const Point& point, std::uint64_t seed);

  /// Bytes in the blocks of a message.
  std::size_t bytes() const { return offsets_.size() * block_; }
  /// Bytes from the first block to the end of the last stride.
  std::size_t extent() const { return extent_; }
  /// One element is a message.
  mpi::BlockType type() const;

  /// Copies `messages` of them between their places and memory without gaps.
  void pack(const void* spaced, void* packed, std::size_t messages = 1) const;
  void unpack(const void* packed, void* spaced, std::size_t messages = 1) const;
  /// Overwrites all memory of the messages.
  void clear(void* spaced, std::size_t messages = 1) const;
  /// Counts the bytes between the blocks that changed since clear(), which it repeats.
  Case::Checked check_gaps(void* spaced, std::size_t messages = 1) const;

 private:
  std::vector<std::int64_t> offsets_;
  std::size_t block_, extent_;
  std::int64_t stride_;
  bool is_irregular_;
};

/// Bytes from the first block to the end of the last stride.
std::uint64_t block_extent(const Point& point);

/// Declares the axes packing, blocks, block and stride, and leaves out points whose `bytes` are not
/// whole blocks, or whose strides are shorter than a block.
void block_axes(Benchmark& benchmark);

}  // namespace scalemark::micro
