// SPDX-License-Identifier: Apache-2.0
// Our element types and reductions as MPI's.
#pragma once

#include <array>
#include <cstddef>

#include <mpi.h>

#include "common/collective/types.hpp"

namespace scalemark::collective {

/// Tables by enumerator, looked up in the timed path.
struct MpiTypes {
  MpiTypes();
  /// MPI's type for data that are moved and not reduced.
  MPI_Datatype moving(DType type) const { return moving_[static_cast<std::size_t>(type)]; }
  /// MPI_DATATYPE_NULL for types that MPI cannot compute with.
  MPI_Datatype reducing(DType type) const { return reducing_[static_cast<std::size_t>(type)]; }
  /// MPI_OP_NULL for what MPI does not have.
  MPI_Op op(ReduceOp op) const { return ops_[static_cast<std::size_t>(op)]; }

 private:
  std::array<MPI_Datatype, kDTypes> moving_, reducing_;
  std::array<MPI_Op, 5> ops_;
};

/// `count` elements of `element` as one element of a derived type, for counts beyond int: blocks of
/// `block` elements and a rest.
class BigType {
 public:
  BigType(std::size_t count, MPI_Datatype element, std::size_t element_bytes,
          std::size_t block = std::size_t{1} << 24);
  ~BigType();
  BigType(const BigType&) = delete;
  BigType& operator=(const BigType&) = delete;
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace scalemark::collective
