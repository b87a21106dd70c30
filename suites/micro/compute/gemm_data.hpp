// SPDX-License-Identifier: Apache-2.0
// Values of the gemm matrices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "suites/micro/compute/gemm_size.hpp"

namespace scalemark::micro {

/// Bytes per element of the operands and of the result; fp8 operands give a bf16 result.
struct GemmTypes {
  std::size_t operand = 0, result = 0;
};
/// Supports fp64, fp32, tf32, bf16, fp16 and fp8 (e4m3). Throws UsageError for others.
GemmTypes gemm_types(const std::string& precision);
/// Bytes of both operands and of the result.
std::uint64_t matrix_bytes(const GemmSize& size, const std::string& precision);

/// Elements of A and of W: whole numbers from -3 to 3, of which 35 consecutive products add up to
/// 0. So every element of C is a whole number below 256 in magnitude: exact in every type and order
/// of summation.
int gemm_a(std::int64_t row, std::int64_t inner);
int gemm_w(std::int64_t column, std::int64_t inner);
/// Expected element of C.
int gemm_expected(std::int64_t row, std::int64_t column, std::int64_t k);

/// Writes a matrix [rows, columns] of `value` in the operands' type of `precision` to `to`.
void write_operand(void* to, std::int64_t rows, std::int64_t columns, const std::string& precision,
                   int (*value)(std::int64_t, std::int64_t));
/// What the operands hold: values whose product is known exactly, or normally distributed numbers.
enum class GemmValues { known, normal };
/// Writes A or W of a product, as `size` says that they are stored, in the operands' type of
/// `precision` to `to`.
void write_a(void* to, const GemmSize& size, const std::string& precision, GemmValues values);
void write_weight(void* to, const GemmSize& size, const std::string& precision, GemmValues values);
/// Writes `elements` numbers of a standard normal distribution, rounded to the operands' type. On a
/// GPU a product of such numbers draws more power, and so runs at lower clocks, than one of small
/// whole numbers.
void write_normal(void* to, std::int64_t elements, const std::string& precision,
                  std::uint64_t seed);
/// Checks up to 48 x 48 elements of C, edges included, against their exact values.
struct GemmCheck {
  std::uint64_t checked = 0, wrong = 0;
};
/// Compares each element of `c` with gemm_expected().
GemmCheck check_product(const void* c, const GemmSize& size, const std::string& precision);

}  // namespace scalemark::micro
