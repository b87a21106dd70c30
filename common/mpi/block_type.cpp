// SPDX-License-Identifier: Apache-2.0
// Makes and uses derived datatypes.
#include "common/mpi/block_type.hpp"

#include <utility>
#include <vector>

namespace scalemark::mpi {
namespace {

constexpr int kBlockTag = 0;

}  // namespace

BlockType::BlockType(MPI_Datatype type) : type_(type) { check(MPI_Type_commit(&type_)); }

BlockType BlockType::vector(int count, int block, int stride) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check(MPI_Type_vector(count, block, stride, MPI_BYTE, &type));
  return BlockType(type);
}

BlockType BlockType::indexed(std::span<const std::int64_t> offsets, int block) {
  const std::vector<MPI_Aint> places(offsets.begin(), offsets.end());
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check(MPI_Type_create_hindexed_block(static_cast<int>(places.size()), block, places.data(),
                                       MPI_BYTE, &type));
  return BlockType(type);
}

BlockType BlockType::resized(std::int64_t extent) const {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check(MPI_Type_create_resized(type_, 0, static_cast<MPI_Aint>(extent), &type));
  return BlockType(type);
}

std::int64_t BlockType::extent() const {
  MPI_Aint begin = 0, extent = 0;
  check(MPI_Type_get_extent(type_, &begin, &extent));
  return extent;
}

BlockType::BlockType(BlockType&& other) noexcept
    : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}

BlockType::~BlockType() {
  if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
}

void BlockType::send(const Comm& ranks, const void* memory, int to) const {
  check(MPI_Send(memory, 1, type_, to, kBlockTag, ranks.get()));
}

void BlockType::receive(const Comm& ranks, void* memory, int from) const {
  check(MPI_Recv(memory, 1, type_, from, kBlockTag, ranks.get(), MPI_STATUS_IGNORE));
}

}  // namespace scalemark::mpi
