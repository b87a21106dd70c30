// SPDX-License-Identifier: Apache-2.0
// Matrices whose products are exact: against sums of products, in each type.
#include "suites/micro/compute/gemm_data.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/error.hpp"

namespace scalemark::micro {
namespace {

constexpr const char* kPrecisions[] = {"fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "fp4"};

int exponent_bits(const std::string& precision) {
  if (precision == "fp64") return 11;
  if (precision == "fp16") return 5;
  if (precision == "fp4") return 2;
  return precision == "fp8" ? 4 : 8;
}

/// The value of an element, by IEEE 754's rule for finite numbers.
double decoded(const std::vector<std::uint8_t>& matrix, std::size_t element,
               const std::string& precision) {
  const int all = static_cast<int>(gemm_types(precision).operand_bits),
            exponent_bits = micro::exponent_bits(precision),
            fraction_bits = all - 1 - exponent_bits;
  std::uint64_t bits = 0;
  if (all == 4)
    bits = element % 2 == 0 ? matrix[element / 2] & 0xFU : matrix[element / 2] >> 4U;
  else
    std::memcpy(&bits, matrix.data() + element * static_cast<std::size_t>(all) / 8,
                static_cast<std::size_t>(all) / 8);
  const auto field = [&](int low, int count) {
    return static_cast<double>((bits >> low) & ((std::uint64_t{1} << count) - 1));
  };
  const double exponent = field(fraction_bits, exponent_bits);
  const double fraction = field(0, fraction_bits) * std::ldexp(1.0, -fraction_bits);
  const double leading = exponent == 0 ? 0 : 1, bias = std::exp2(exponent_bits - 1) - 1;
  const double magnitude = (leading + fraction) * std::exp2(std::max(exponent, 1.0) - bias);
  return (bits >> (all - 1)) != 0 ? -magnitude : magnitude;
}

TEST(GemmData, OperandsAreTheirValuesInEachType) {
  constexpr std::int64_t kColumns = 12, kRows = 80;  // more rows than after which they repeat
  for (const std::string precision : kPrecisions) {
    std::vector<std::uint8_t> matrix(operand_bytes(kRows * kColumns, precision));
    repeat(matrix.data(), matrix.size(), whole_part(kRows, kColumns, precision, gemm_a));
    for (std::int64_t i = 0; i < kRows; ++i) {
      for (std::int64_t j = 0; j < kColumns; ++j) {
        ASSERT_EQ(decoded(matrix, static_cast<std::size_t>(i * kColumns + j), precision),
                  gemm_a(i, j))
            << precision << ' ' << i << ' ' << j;
      }
    }
  }
}

TEST(GemmData, NormalOperandsHaveMeanZeroAndVarianceOne) {
  constexpr std::int64_t kElements = 10'000;
  for (const std::string precision : kPrecisions) {
    SCOPED_TRACE(precision);
    const std::vector<std::uint8_t> one = normal_part(kElements, precision, 1);
    EXPECT_EQ(one.size(), operand_bytes(kElements, precision));
    EXPECT_EQ(one, normal_part(kElements, precision, 1));
    EXPECT_NE(one, normal_part(kElements, precision, 2));
    std::set<double> distinct;
    double sum = 0, squares = 0, beyond_two = 0;
    for (std::size_t i = 0; i < kElements; ++i) {
      const double value = decoded(one, i, precision);
      ASSERT_LT(std::abs(value), 4.5);
      distinct.insert(value);
      sum += value;
      squares += value * value;
      beyond_two += std::abs(value) > 2.0625 ? 1 : 0;  // halfway to the next number of fp8
    }
    EXPECT_NEAR(sum / kElements, 0, 0.05) << "5 standard errors";
    EXPECT_NEAR(squares / kElements, precision == "fp4" ? 1.024 : 1, 0.08)
        << "5 standard errors, and the rounding";
    // More than 2.5 rounds to 3 in fp4.
    const double expected = precision == "fp8" ? 0.0336 : precision == "fp4" ? 0.0124 : 0.0391;
    EXPECT_NEAR(beyond_two / kElements, expected, 0.01);
    EXPECT_GE(distinct.size(), precision == "fp4" ? 13U : precision == "fp8" ? 60U : 1000U);
  }
}

TEST(GemmData, NormalOperandsRepeatAfterFourMillionButNotByRows) {
  constexpr std::int64_t kRow = 8192, kRows = 600, kRepeats = (1 << 22) + 3;
  std::vector<std::uint8_t> matrix(kRow * kRows);
  repeat(matrix.data(), matrix.size(), normal_part(kRow * kRows, "fp8", 1));
  EXPECT_TRUE(std::equal(matrix.begin() + kRepeats, matrix.end(), matrix.begin()));
  std::set<std::vector<std::uint8_t>> rows;
  for (auto row = matrix.begin(); row != matrix.end(); row += kRow) rows.emplace(row, row + kRow);
  EXPECT_EQ(rows.size(), kRows);
}

TEST(GemmData, PairsOfFp4RepeatAsWholeBytes) {
  constexpr std::int64_t kRepeats = (1 << 22) + 3;
  EXPECT_EQ(normal_part(kRepeats, "fp4", 1).size(), kRepeats / 2 + 1) << "all of the numbers";
  EXPECT_EQ(normal_part(kRepeats + 7, "fp4", 1).size(), kRepeats / 2) << "without the half byte";
}

TEST(GemmData, BytesOfOperandsAndScales) {
  EXPECT_EQ(operand_bytes(15, "fp64"), 120U);
  EXPECT_EQ(operand_bytes(15, "fp8"), 15U);
  EXPECT_EQ(operand_bytes(15, "fp4"), 8U);
  // A tile of 128 rows and 64 numbers has 512 scales.
  EXPECT_EQ(scale_bytes(1, 16, "fp4"), 512U);
  EXPECT_EQ(scale_bytes(128, 64, "fp4"), 512U);
  EXPECT_EQ(scale_bytes(129, 65, "fp4"), 2048U);
  EXPECT_EQ(scale_bytes(129, 65, "fp8"), 0U);
  EXPECT_EQ(matrix_bytes({.m = 128, .n = 128, .k = 64}, "fp4"), 2 * (4096U + 512U) + 2 * 16384U);
}

TEST(GemmData, ProductsOfALayerFitTogether) {
  const GemmSize forward = gemm_size("gate", "1b", 10),
                 input = gemm_size("gate", "1b", 10, "input_gradient"),
                 weight = gemm_size("gate", "1b", 10, "weight_gradient");
  EXPECT_EQ(forward.flops(), input.flops());
  EXPECT_EQ(forward.flops(), weight.flops());
  EXPECT_EQ((std::vector{input.m, input.n, input.k}), (std::vector<std::int64_t>{10, 2048, 8192}));
  EXPECT_EQ((std::vector{weight.m, weight.n, weight.k}),
            (std::vector<std::int64_t>{8192, 2048, 10}));
  EXPECT_THROW(gemm_size("gate", "1b", 10, "output_gradient"), UsageError);
  EXPECT_EQ(gemm_candidates(64).size(), 27U);
}

// The same numbers, by rows or by columns.
TEST(GemmData, OperandsAreStoredAsTheirProductWantsThem) {
  for (const bool by_inner : {false, true}) {
    const GemmSize size{.m = 5, .n = 4, .k = 3, .a_by_inner = by_inner, .w_by_inner = by_inner};
    std::vector<double> a(15), w(12);
    repeat(a.data(), a.size() * sizeof(double), part_of_a(size, "fp64", GemmValues::known));
    repeat(w.data(), w.size() * sizeof(double), part_of_weight(size, "fp64", GemmValues::known));
    for (std::int64_t inner = 0; inner < size.k; ++inner) {
      for (std::int64_t row = 0; row < size.m; ++row)
        EXPECT_EQ(
            a[static_cast<std::size_t>(by_inner ? inner * size.m + row : row * size.k + inner)],
            gemm_a(row, inner));
      for (std::int64_t column = 0; column < size.n; ++column)
        EXPECT_EQ(w[static_cast<std::size_t>(by_inner ? inner * size.n + column
                                                      : column * size.k + inner)],
                  gemm_w(column, inner));
    }
  }
}

TEST(GemmData, ExpectedIsTheSumOfProducts) {
  bool varies = false;
  for (const std::int64_t k : {1, 34, 35, 36, 128, 1000}) {
    for (std::int64_t row = 0; row < 8; ++row) {
      for (std::int64_t column = 0; column < 8; ++column) {
        int sum = 0, largest = 0;
        for (std::int64_t inner = 0; inner < k; ++inner) {
          sum += gemm_a(row, inner) * gemm_w(column, inner);
          largest = std::max(largest, std::abs(sum));
        }
        ASSERT_EQ(gemm_expected(row, column, k), sum) << row << ' ' << column << ' ' << k;
        ASSERT_LT(largest, 256) << "not exact in bf16";
        varies = varies || sum != 0;
      }
    }
  }
  EXPECT_TRUE(varies) << "a product of zeros would pass";
}

TEST(GemmData, AWrongElementIsSeen) {
  const GemmSize size{.m = 50, .n = 70, .k = 36};
  std::vector<float> product(static_cast<std::size_t>(size.m * size.n));
  for (std::int64_t i = 0; i < size.m; ++i) {
    for (std::int64_t j = 0; j < size.n; ++j)
      product[static_cast<std::size_t>(i * size.n + j)] =
          static_cast<float>(gemm_expected(i, j, size.k));
  }
  EXPECT_EQ(check_product(product.data(), size, "fp32").wrong, 0U);
  EXPECT_EQ(check_product(product.data(), size, "fp32").checked, 48U * 48U);
  product.back() += 1;
  EXPECT_EQ(check_product(product.data(), size, "fp32").wrong, 1U) << "the last element";
  product.front() = std::nanf("");
  EXPECT_EQ(check_product(product.data(), size, "fp32").wrong, 2U) << "the first element";
  EXPECT_GT(check_product(product.data(), {.m = size.n, .n = size.m, .k = size.k}, "fp32").wrong,
            100U)
      << "the transposed product";
}

TEST(GemmData, SizesAreThoseOfTheModels) {
  EXPECT_EQ(gemm_size("square", "8b", 512).flops(), 2.0 * 512 * 512 * 512);
  const GemmSize head = gemm_size("head", "1b", 10);
  EXPECT_EQ(head.n, 128256);
  EXPECT_EQ(head.k, 2048);
  const GemmSize down = gemm_size("feed_forward", "8b", 10);
  EXPECT_EQ(down.n, 4096);
  EXPECT_EQ(down.k, 14336);
  EXPECT_THROW(gemm_size("gate", "70b", 10), UsageError);
  EXPECT_THROW(gemm_types("fp6"), UsageError);
  for (const std::string& shape : gemm_shapes()) EXPECT_GT(gemm_size(shape, "3b", 8).flops(), 0);
}

}  // namespace
}  // namespace scalemark::micro
