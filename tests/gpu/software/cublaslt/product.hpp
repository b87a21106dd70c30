// SPDX-License-Identifier: Apache-2.0
// D = alpha op(A) op(B) + beta C on column-major matrices, and which of these products cuBLASLt
// has.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <cublasLt.h>

namespace scalemark::software_cublaslt {

/// A matrix: `ld` elements from one column to the next.
struct Layout {
  cudaDataType_t type = CUDA_R_32F;
  std::uint64_t rows = 0, columns = 0;
  std::int64_t ld = 0;
  std::int32_t batch = 1;   ///< matrices of a batch
  std::int64_t stride = 0;  ///< elements from one of them to the next
};

/// What a descriptor says.
struct Operation {
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  cudaDataType_t scale = CUDA_R_32F;
  cublasOperation_t a = CUBLAS_OP_N, b = CUBLAS_OP_N;
  std::int8_t fast_accumulation = 0;
  std::int32_t a_scale_mode = CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F,
               b_scale_mode = CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F;
  const void *a_scales = nullptr, *b_scales = nullptr;
};

struct Matrices {
  Layout a, b, c, d;
};

/// Bytes from the first element of a matrix, or of a batch of them, to the end of its last.
std::size_t extent(const Layout& layout);

/// Bytes of the scales of an operand of fp4, which is stored by its inner dimension.
std::size_t scale_extent(const Layout& layout);

/// CUBLAS_STATUS_SUCCESS, INVALID_VALUE for sizes or types that do not fit each other, or
/// NOT_SUPPORTED (cuBLASLt's documentation of cublasLtMatmul(), table of supported types).
cublasStatus_t support(const Operation& operation, const Matrices& matrices);

/// Computes the product; `a` to `d`, and the scales, are where the host finds them. Sums are kept
/// in the compute type; tf32 rounds no operand here.
void multiply(const Operation& operation, const Matrices& matrices, double alpha, double beta,
              const void* a, const void* b, const void* c, void* d);

}  // namespace scalemark::software_cublaslt
