// SPDX-License-Identifier: Apache-2.0
// MPI data types and operations.
#include "common/collective/mpi_types.hpp"

#include "common/mpi/comm.hpp"

namespace scalemark::collective {

// In the order of DType and ReduceOp. The 8-bit and 16-bit floating-point types move as
// integers.
MpiTypes::MpiTypes()
    : moving_{MPI_INT8_T,   MPI_UINT8_T,  MPI_INT32_T, MPI_UINT32_T, MPI_INT64_T, MPI_UINT64_T,
              MPI_UINT16_T, MPI_UINT16_T, MPI_FLOAT,   MPI_DOUBLE,   MPI_UINT8_T, MPI_UINT8_T},
      reducing_{MPI_INT8_T,  MPI_UINT8_T,  MPI_INT32_T,       MPI_UINT32_T,
                MPI_INT64_T, MPI_UINT64_T, MPI_DATATYPE_NULL, MPI_DATATYPE_NULL,
                MPI_FLOAT,   MPI_DOUBLE,   MPI_DATATYPE_NULL, MPI_DATATYPE_NULL},
      ops_{MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_OP_NULL} {}

BigType::BigType(std::size_t count, MPI_Datatype element, std::size_t element_bytes,
                 std::size_t block) {
  MPI_Datatype one_block = MPI_DATATYPE_NULL, blocks = MPI_DATATYPE_NULL;
  mpi::check(MPI_Type_contiguous(static_cast<int>(block), element, &one_block));
  mpi::check(MPI_Type_contiguous(static_cast<int>(count / block), one_block, &blocks));
  const int lengths[2] = {1, static_cast<int>(count % block)};
  const MPI_Aint offsets[2] = {0, static_cast<MPI_Aint>(count / block * block * element_bytes)};
  const MPI_Datatype parts[2] = {blocks, element};
  mpi::check(MPI_Type_create_struct(2, lengths, offsets, parts, &type_));
  mpi::check(MPI_Type_free(&blocks));
  mpi::check(MPI_Type_free(&one_block));
  mpi::check(MPI_Type_commit(&type_));
}

BigType::~BigType() { MPI_Type_free(&type_); }

}  // namespace scalemark::collective
