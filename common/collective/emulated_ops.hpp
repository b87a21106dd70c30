// SPDX-License-Identifier: Apache-2.0
// Reductions of 8-bit and 16-bit floating-point numbers as operations of MPI, which has no such
// types.
#pragma once

#include <array>
#include <map>

#include <mpi.h>

#include "common/collective/types.hpp"

namespace scalemark::collective {

/// Operations on MPI_UINT8_T and MPI_UINT16_T: two numbers are widened to fp32, reduced, and
/// rounded to nearest, ties to even. Several ranks are reduced pair by pair, in MPI's order. The
/// minimum and the maximum with something that is no number is no number.
class EmulatedOps {
 public:
  EmulatedOps();
  ~EmulatedOps();
  EmulatedOps(const EmulatedOps&) = delete;
  EmulatedOps& operator=(const EmulatedOps&) = delete;
  /// sum, prod, min and max of fp16, bf16, fp8_e4m3 and fp8_e5m2; else MPI_OP_NULL.
  MPI_Op of(DType type, ReduceOp op) const;

 private:
  /// In the order of ReduceOp.
  using Ops = std::array<MPI_Op, 4>;
  std::map<DType, Ops> ops_;
};

/// `data`[i] /= `divisor`; integers are rounded towards 0, 8-bit and 16-bit floating-point
/// numbers to nearest.
void divide(void* data, std::size_t count, DType type, int divisor);

}  // namespace scalemark::collective
