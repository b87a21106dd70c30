// SPDX-License-Identifier: Apache-2.0
// Blocks of bytes that are not next to each other, as an MPI datatype.
#pragma once

#include <cstdint>
#include <span>

#include <mpi.h>

#include "common/mpi/comm.hpp"

namespace scalemark::mpi {

/// Owner of a committed datatype; an element has all blocks. All functions throw Error with MPI's
/// text.
class BlockType {
 public:
  /// `count` blocks of `block` bytes, each `stride` bytes behind the one before (MPI_Type_vector).
  static BlockType vector(int count, int block, int stride);
  /// A block of `block` bytes at each offset (MPI_Type_create_hindexed_block).
  static BlockType indexed(std::span<const std::int64_t> offsets, int block);
  /// The same blocks; elements follow each other after `extent` bytes (MPI_Type_create_resized).
  BlockType resized(std::int64_t extent) const;
  BlockType(BlockType&& other) noexcept;
  BlockType(const BlockType&) = delete;
  BlockType& operator=(const BlockType&) = delete;
  ~BlockType();

  /// One element to or from a rank; `memory` is the start of its first block. Blocks.
  void send(const Comm& ranks, const void* memory, int to) const;
  void receive(const Comm& ranks, void* memory, int from) const;

  MPI_Datatype get() const { return type_; }
  /// From one element to the next, in bytes.
  std::int64_t extent() const;

 private:
  /// Commits the type.
  explicit BlockType(MPI_Datatype type);
  MPI_Datatype type_;
};

}  // namespace scalemark::mpi
