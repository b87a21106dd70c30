// SPDX-License-Identifier: Apache-2.0
// Sums of 16-bit floating-point numbers as operations of MPI, which has no such types.
#pragma once

#include <mpi.h>

#include "common/collective/types.hpp"

namespace scalemark::collective {

/// Operations on MPI_UINT16_T: two numbers are widened to fp32, added, and rounded to nearest, ties
/// to even. Several ranks are added pair by pair, in MPI's order.
class HalfSums {
 public:
  HalfSums();
  ~HalfSums();
  HalfSums(const HalfSums&) = delete;
  HalfSums& operator=(const HalfSums&) = delete;
  /// MPI_OP_NULL for types other than fp16 and bf16.
  MPI_Op of(DType type) const;

 private:
  MPI_Op fp16_ = MPI_OP_NULL, bf16_ = MPI_OP_NULL;
};

}  // namespace scalemark::collective
