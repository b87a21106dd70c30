// SPDX-License-Identifier: Apache-2.0
// Sizes and values of matrix products.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/core/axis.hpp"

namespace scalemark::micro {

/// C [m, n] = A [m, k] W^T of a weight W [n, k], as a linear layer has it.
struct GemmSize {
  std::int64_t m = 0, n = 0, k = 0;
  double flops() const;  ///< 2 m n k
};

/// Names of axis `shape`: square, and the products of Llama3's layers: query (and output),
/// key_value, gate (and up), feed_forward (down), head.
const std::vector<std::string>& gemm_shapes();
/// `rows` is m (tokens), and all three sizes of a square. Throws UsageError for unknown names.
GemmSize gemm_size(const std::string& shape, const std::string& model, std::int64_t rows);

/// Bytes of an element of the operands, and of the result: fp8 operands give a bf16 result.
struct GemmTypes {
  std::size_t operand = 0, result = 0;
};
/// fp64, fp32, tf32, bf16, fp16, fp8 (e4m3). Throws UsageError.
GemmTypes gemm_types(const std::string& precision);

// Values are whole numbers from -3 to 3, whose sums over 35 products vanish: every element of C is
// a whole number below 256 in magnitude, exact in each of the types, in whatever order it is added.
int gemm_a(std::int64_t row, std::int64_t inner);
int gemm_w(std::int64_t column, std::int64_t inner);
/// The element of C.
int gemm_expected(std::int64_t row, std::int64_t column, std::int64_t k);

/// Writes a matrix [rows, columns] of `value` in the operands' type of `precision` to `to`.
void write_operand(void* to, std::int64_t rows, std::int64_t columns, const std::string& precision,
                   int (*value)(std::int64_t, std::int64_t));
/// Elements of C at some thousand places that are not as expected, edges included.
struct GemmCheck {
  std::uint64_t checked = 0, wrong = 0;
};
GemmCheck check_product(const void* c, const GemmSize& size, const std::string& precision);

}  // namespace scalemark::micro
