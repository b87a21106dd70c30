// SPDX-License-Identifier: Apache-2.0
// Products element by element.
#include "tests/gpu/software/cublaslt/product.hpp"

#include "tests/gpu/software/cublaslt/element.hpp"
#include "tests/gpu/software/cublaslt/settings.hpp"

namespace scalemark::software_cublaslt {
namespace {

struct Shape {
  std::uint64_t rows = 0, columns = 0;
};

Shape shape(const Layout& layout, cublasOperation_t turned) {
  return turned == CUBLAS_OP_N ? Shape{layout.rows, layout.columns}
                               : Shape{layout.columns, layout.rows};
}

/// Elements before matrix `one` of a batch.
std::uint64_t first(const Layout& layout, std::int32_t one) {
  return static_cast<std::uint64_t>(one) * static_cast<std::uint64_t>(layout.stride);
}

bool is_matrix(const Layout& layout) {
  return bits_of(layout.type) != 0 && layout.rows > 0 && layout.columns > 0 &&
         layout.ld >= static_cast<std::int64_t>(layout.rows) && layout.batch > 0 &&
         layout.stride >= 0;
}

/// Index of element (row, column) of op(matrix), of matrix `one` of a batch.
std::size_t place(const Layout& layout, std::int32_t one, cublasOperation_t turned,
                  std::uint64_t row, std::uint64_t column) {
  const auto ld = static_cast<std::uint64_t>(layout.ld), before = first(layout, one);
  return before + (turned == CUBLAS_OP_N ? row + column * ld : column + row * ld);
}

/// fp8 products exist on Hopper as "TN" only, with sizes that are multiples of 16.
bool fp8_fits(const Operation& operation, const Matrices& m) {
  const auto whole = [](const Layout& layout) {
    return layout.rows % 16 == 0 && layout.columns % 16 == 0;
  };
  return !settings().no_fp8 && operation.a == CUBLAS_OP_T && operation.b == CUBLAS_OP_N &&
         whole(m.a) && whole(m.b) && m.c.type != CUDA_R_64F && m.c.type != CUDA_R_8F_E4M3;
}

/// fp4 products are "TN", with a scale for 16 numbers of each operand, from Blackwell on.
bool fp4_fits(const Operation& operation, const Matrices& m) {
  const auto blocks = CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3;
  return settings().has_fp4 && operation.a == CUBLAS_OP_T && operation.b == CUBLAS_OP_N &&
         m.a.rows % 32 == 0 && operation.a_scale_mode == blocks &&
         operation.b_scale_mode == blocks && operation.a_scales != nullptr &&
         operation.b_scales != nullptr && m.c.type == CUDA_R_16BF;
}

bool types_fit(const Operation& operation, const Matrices& m) {
  if (m.a.type != m.b.type || m.c.type != m.d.type) return false;
  if (operation.fast_accumulation != 0 && m.a.type != CUDA_R_8F_E4M3) return false;
  const bool tf32 = operation.compute == CUBLAS_COMPUTE_32F_FAST_TF32;
  switch (m.a.type) {
    case CUDA_R_64F:
      return operation.compute == CUBLAS_COMPUTE_64F && operation.scale == CUDA_R_64F &&
             m.c.type == CUDA_R_64F;
    case CUDA_R_32F:
      return (operation.compute == CUBLAS_COMPUTE_32F || tf32) && operation.scale == CUDA_R_32F &&
             m.c.type == CUDA_R_32F;
    case CUDA_R_16F:
    case CUDA_R_16BF:
      return operation.compute == CUBLAS_COMPUTE_32F && operation.scale == CUDA_R_32F &&
             (m.c.type == m.a.type || m.c.type == CUDA_R_32F);
    default:
      return operation.compute == CUBLAS_COMPUTE_32F && operation.scale == CUDA_R_32F &&
             (m.a.type == CUDA_R_4F_E2M1 ? fp4_fits(operation, m) : fp8_fits(operation, m));
  }
}

constexpr std::uint64_t kTileRows = 128, kTileInner = 64, kTileBytes = 512, kScaled = 16;

std::uint64_t tiles(std::uint64_t length, std::uint64_t tile) { return (length + tile - 1) / tile; }

/// The scale of element `inner` of `row`; 1 for types without. The layout of a tile is that of
/// cuBLAS's documentation ("1D Block Scaling Factors Layout").
double scale_of(const void* scales, const Layout& layout, std::uint64_t row, std::uint64_t inner) {
  if (layout.type != CUDA_R_4F_E2M1) return 1;
  const std::uint64_t tile = row / kTileRows * tiles(layout.rows, kTileInner) + inner / kTileInner;
  const std::uint64_t at = row % 32 * 16 + row % kTileRows / 32 * 4 + inner % kTileInner / kScaled;
  return load(scales, tile * kTileBytes + at, CUDA_R_8F_E4M3);
}

template <typename Sum>
void multiply_one(const Operation& operation, const Matrices& m, std::int32_t one, double alpha,
                  double beta, const void* a, const void* b, const void* c, void* d) {
  const std::uint64_t inner = shape(m.a, operation.a).columns;
  for (std::uint64_t column = 0; column < m.d.columns; ++column) {
    for (std::uint64_t row = 0; row < m.d.rows; ++row) {
      Sum sum = 0;
      for (std::uint64_t k = 0; k < inner; ++k) {
        const double scale = scale_of(operation.a_scales, m.a, row, k) *
                             scale_of(operation.b_scales, m.b, column, k);
        sum += static_cast<Sum>(load(a, place(m.a, one, operation.a, row, k), m.a.type) * scale) *
               static_cast<Sum>(load(b, place(m.b, one, operation.b, k, column), m.b.type));
      }
      double value = alpha * static_cast<double>(sum);
      // beta = 0: C is not read, whatever it holds.
      if (beta != 0) value += beta * load(c, place(m.c, one, CUBLAS_OP_N, row, column), m.c.type);
      store(d, place(m.d, one, CUBLAS_OP_N, row, column), m.d.type, value);
    }
  }
}

}  // namespace

std::size_t extent(const Layout& layout) {
  const auto ld = static_cast<std::uint64_t>(layout.ld);
  const std::uint64_t elements =
      first(layout, layout.batch - 1) + (layout.columns - 1) * ld + layout.rows;
  return (elements * bits_of(layout.type) + 7) / 8;
}

std::size_t scale_extent(const Layout& layout) {
  return kTileBytes * tiles(layout.columns, kTileRows) * tiles(layout.rows, kTileInner);
}

cublasStatus_t support(const Operation& operation, const Matrices& m) {
  if (!is_matrix(m.a) || !is_matrix(m.b) || !is_matrix(m.c) || !is_matrix(m.d))
    return CUBLAS_STATUS_INVALID_VALUE;
  const Shape a = shape(m.a, operation.a), b = shape(m.b, operation.b);
  const bool fits = a.columns == b.rows && a.rows == m.d.rows && b.columns == m.d.columns &&
                    m.c.rows == m.d.rows && m.c.columns == m.d.columns && m.a.batch == m.d.batch &&
                    m.b.batch == m.d.batch && m.c.batch == m.d.batch;
  if (!fits) return CUBLAS_STATUS_INVALID_VALUE;
  return types_fit(operation, m) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

void multiply(const Operation& operation, const Matrices& matrices, double alpha, double beta,
              const void* a, const void* b, const void* c, void* d) {
  for (std::int32_t one = 0; one < matrices.d.batch; ++one) {
    if (operation.compute == CUBLAS_COMPUTE_64F)
      multiply_one<double>(operation, matrices, one, alpha, beta, a, b, c, d);
    else
      multiply_one<float>(operation, matrices, one, alpha, beta, a, b, c, d);
  }
}

}  // namespace scalemark::software_cublaslt
