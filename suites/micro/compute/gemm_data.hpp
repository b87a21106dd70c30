// SPDX-License-Identifier: Apache-2.0
// Values of the gemm matrices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "suites/micro/compute/gemm_size.hpp"

namespace scalemark::micro {

/// fp8 and fp4 operands give a bf16 result.
struct GemmTypes {
  std::size_t operand_bits = 0;  ///< per element
  std::size_t result = 0;        ///< bytes per element
};
/// Supports fp64, fp32, tf32, bf16, fp16, fp8 (e4m3) and fp4 (e2m1). Throws UsageError for others.
GemmTypes gemm_types(const std::string& precision);
/// Bytes of an operand of so many elements; two of fp4 share a byte, the first in its lower half.
std::size_t operand_bytes(std::int64_t elements, const std::string& precision);
/// Bytes of the scales of an operand [rows, inner]: fp4 has one for 16 consecutive numbers of a
/// row, in tiles of 128 rows and 4 scales (cuBLAS's documentation, "1D Block Scaling"); others have
/// none.
std::size_t scale_bytes(std::int64_t rows, std::int64_t inner, const std::string& precision);
/// Bytes of both operands, their scales, and the result.
std::uint64_t matrix_bytes(const GemmSize& size, const std::string& precision);

/// Elements of A and of W: whole numbers from -3 to 3, of which 35 consecutive products add up to
/// 0. So every element of C is a whole number below 256 in magnitude: exact in every type and order
/// of summation.
int gemm_a(std::int64_t row, std::int64_t inner);
int gemm_w(std::int64_t column, std::int64_t inner);
/// Expected element of C.
int gemm_expected(std::int64_t row, std::int64_t column, std::int64_t k);

/// What the operands hold: values whose product is known exactly, or normally distributed numbers.
/// On a GPU a product of normal numbers draws more power, and so runs at lower clocks, than one of
/// small whole numbers.
enum class GemmValues { known, normal };

/// The first bytes of a matrix, of which the rest is a repetition. Matrices of gigabytes are filled
/// from some tens of megabytes where they lie.
/// Of a matrix [rows, columns] of `value`, in the operands' type of `precision`: its first rows.
/// fp4: an even number of columns.
std::vector<std::uint8_t> whole_part(std::int64_t rows, std::int64_t columns,
                                     const std::string& precision,
                                     int (*value)(std::int64_t, std::int64_t));
/// Of `elements` numbers of a standard normal distribution, rounded to the operands' type: up to
/// four million of them.
std::vector<std::uint8_t> normal_part(std::int64_t elements, const std::string& precision,
                                      std::uint64_t seed);
/// Of A or W of a product, as `size` says that they are stored.
std::vector<std::uint8_t> part_of_a(const GemmSize& size, const std::string& precision,
                                    GemmValues values);
std::vector<std::uint8_t> part_of_weight(const GemmSize& size, const std::string& precision,
                                         GemmValues values);
/// Fills `bytes` bytes of host memory at `to` with a part, again and again.
void repeat(void* to, std::size_t bytes, const std::vector<std::uint8_t>& part);

/// Checks up to 48 x 48 elements of C, edges included, against their exact values.
struct GemmCheck {
  std::uint64_t checked = 0, wrong = 0;
};
/// Compares them with gemm_expected(). `row_of_c` gives a row of C in host memory, which is read
/// before the next one is asked for.
GemmCheck check_product(const std::function<const void*(std::int64_t)>& row_of_c,
                        const GemmSize& size, const std::string& precision);
/// Of all of C, in host memory.
GemmCheck check_product(const void* c, const GemmSize& size, const std::string& precision);

}  // namespace scalemark::micro
