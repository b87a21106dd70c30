// SPDX-License-Identifier: Apache-2.0
// Matrices of small whole numbers, whose products are checked, and of normal ones.
#include "suites/micro/compute/gemm_data.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/collective/fp8.hpp"
#include "common/collective/half.hpp"
#include "common/stats/distributions.hpp"

namespace scalemark::micro {
namespace {

/// Whole numbers repeat after so many rows, columns or products, which add up to 0: 7 of A, 5 of W.
constexpr std::int64_t kPeriod = 35;
/// Normal numbers repeat after so many: no multiple of a matrix's width, so that rows differ.
constexpr std::int64_t kDrawn = (1 << 22) + 3;
/// Number of rows and of columns that are checked.
constexpr std::int64_t kPlaces = 48;

/// The nearest number of type E2M1 in the lower four bits: up to 6 (OCP Microscaling Formats).
std::uint8_t e2m1(double value) {
  using Magnitude = collective::Fp8<1, 1, 0x07, false>;
  const std::uint8_t bits = Magnitude::narrow(static_cast<float>(value));
  return static_cast<std::uint8_t>((bits & 0x07U) | (bits & 0x80U) >> 4U);
}

/// Numbers in the operands' type of a precision, by index.
class Encoded {
 public:
  explicit Encoded(const std::string& precision) : bits_(gemm_types(precision).operand_bits) {
    if (precision == "fp64")
      encode_ = [](double value) { return as_bytes(value); };
    else if (precision == "bf16")
      encode_ = [](double value) {
        return as_bytes(collective::Bf16::narrow(static_cast<float>(value)));
      };
    else if (precision == "fp16")
      encode_ = [](double value) {
        return as_bytes(collective::Fp16::narrow(static_cast<float>(value)));
      };
    else if (precision == "fp8")
      encode_ = [](double value) {
        return as_bytes(collective::Fp8E4m3::narrow(static_cast<float>(value)));
      };
    else if (precision == "fp4")
      encode_ = [](double value) { return as_bytes(e2m1(value)); };
    else
      encode_ = [](double value) { return as_bytes(static_cast<float>(value)); };
  }
  void add(double value) { numbers_.push_back(encode_(value)); }
  /// Writes number `index` as element `element` of a matrix, whose elements are written in order.
  void write(std::uint8_t* matrix, std::size_t element, std::size_t index) const {
    const Bytes& bytes = numbers_[index];
    if (bits_ != 4) {
      std::memcpy(matrix + element * bits_ / 8, bytes.data(), bits_ / 8);
      return;
    }
    std::uint8_t& pair = matrix[element / 2];
    pair = element % 2 == 0 ? bytes[0] : static_cast<std::uint8_t>(pair | bytes[0] << 4U);
  }

 private:
  using Bytes = std::array<std::uint8_t, sizeof(double)>;

  template <typename T>
  static Bytes as_bytes(T value) {
    Bytes bytes{};
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
  }

  std::size_t bits_;
  Bytes (*encode_)(double) = nullptr;
  std::vector<Bytes> numbers_;
};

/// Numbers of equal probability in a standard normal distribution.
constexpr int kNormalBits = 16;
constexpr std::size_t kNormals = std::size_t{1} << kNormalBits;
const std::vector<double>& normal_numbers() {
  static const std::vector<double> numbers = [] {
    std::vector<double> all(kNormals);
    for (std::size_t i = 0; i < kNormals; ++i)
      all[i] = stats::normal_quantile((static_cast<double>(i) + 0.5) / double{kNormals});
    return all;
  }();
  return numbers;
}

double read_result(const std::uint8_t* from, const std::string& precision) {
  const auto get = [from](auto value) {
    std::memcpy(&value, from, sizeof value);
    return value;
  };
  if (precision == "fp64") return get(0.0);
  if (precision == "fp32" || precision == "tf32") return static_cast<double>(get(0.0F));
  const std::uint16_t bits = get(std::uint16_t{0});
  return static_cast<double>(precision == "fp16" ? collective::Fp16::widen(bits)
                                                 : collective::Bf16::widen(bits));
}

/// Indices below `count`, spread unevenly, including the first and the last.
std::vector<std::int64_t> places(std::int64_t count) {
  std::vector<std::int64_t> result;
  for (std::int64_t i = 0; i < std::min(kPlaces, count); ++i)
    result.push_back(count <= kPlaces ? i : (i * (count - 1) / (kPlaces - 1)));
  return result;
}

}  // namespace

GemmTypes gemm_types(const std::string& precision) {
  if (precision == "fp64") return {64, 8};
  if (precision == "fp32" || precision == "tf32") return {32, 4};
  if (precision == "bf16" || precision == "fp16") return {16, 2};
  if (precision == "fp8") return {8, 2};
  if (precision == "fp4") return {4, 2};
  throw UsageError(fmt::format("no precision '{}'", precision));
}

std::size_t operand_bytes(std::int64_t elements, const std::string& precision) {
  return (static_cast<std::size_t>(elements) * gemm_types(precision).operand_bits + 7) / 8;
}

std::size_t scale_bytes(std::int64_t rows, std::int64_t inner, const std::string& precision) {
  if (precision != "fp4") return 0;
  constexpr std::int64_t kTileRows = 128, kTileScales = 4, kScaled = 16;
  const std::int64_t tiles = (rows + kTileRows - 1) / kTileRows *
                             ((inner + kScaled * kTileScales - 1) / (kScaled * kTileScales));
  return static_cast<std::size_t>(tiles * kTileRows * kTileScales);
}

std::uint64_t matrix_bytes(const GemmSize& size, const std::string& precision) {
  const auto operand = [&](std::int64_t rows) {
    return operand_bytes(rows * size.k, precision) + scale_bytes(rows, size.k, precision);
  };
  return operand(size.m) + operand(size.n) +
         static_cast<std::uint64_t>(size.m * size.n) * gemm_types(precision).result;
}

int gemm_a(std::int64_t row, std::int64_t inner) {
  return static_cast<int>((row * 3 + inner * 5) % 7) - 3;
}

int gemm_w(std::int64_t column, std::int64_t inner) {
  return static_cast<int>((column * 3 + inner * 2) % 5) - 2;
}

int gemm_expected(std::int64_t row, std::int64_t column, std::int64_t k) {
  int sum = 0;
  for (std::int64_t inner = k / kPeriod * kPeriod; inner < k; ++inner)
    sum += gemm_a(row, inner) * gemm_w(column, inner);
  return sum;
}

std::vector<std::uint8_t> whole_part(std::int64_t rows, std::int64_t columns,
                                     const std::string& precision,
                                     int (*value)(std::int64_t, std::int64_t)) {
  constexpr int kLargest = 3;
  Encoded whole(precision);
  for (int number = -kLargest; number <= kLargest; ++number) whole.add(number);
  rows = std::min(rows, kPeriod);
  std::vector<std::uint8_t> part(static_cast<std::size_t>(rows) *
                                 operand_bytes(columns, precision));
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j)
      whole.write(part.data(), static_cast<std::size_t>(i * columns + j),
                  static_cast<std::size_t>(value(i, j) + kLargest));
  }
  return part;
}

std::vector<std::uint8_t> normal_part(std::int64_t elements, const std::string& precision,
                                      std::uint64_t seed) {
  Encoded normal(precision);
  for (const double number : normal_numbers()) normal.add(number);
  std::mt19937_64 random(seed);
  const std::int64_t drawn = std::min(elements, kDrawn);
  std::vector<std::uint8_t> part(operand_bytes(drawn, precision));
  std::uint64_t bits = 0;
  for (std::int64_t i = 0; i < drawn; ++i, bits >>= kNormalBits) {
    if (i % 4 == 0) bits = random();
    normal.write(part.data(), static_cast<std::size_t>(i), bits % kNormals);
  }
  // Whole bytes repeat, without the half one of fp4.
  if (drawn < elements)
    part.resize(static_cast<std::size_t>(drawn) * gemm_types(precision).operand_bits / 8);
  return part;
}

std::vector<std::uint8_t> part_of_a(const GemmSize& size, const std::string& precision,
                                    GemmValues values) {
  if (values == GemmValues::normal) return normal_part(size.m * size.k, precision, 1);
  if (size.a_by_inner)
    return whole_part(size.k, size.m, precision,
                      [](std::int64_t inner, std::int64_t row) { return gemm_a(row, inner); });
  return whole_part(size.m, size.k, precision, gemm_a);
}

std::vector<std::uint8_t> part_of_weight(const GemmSize& size, const std::string& precision,
                                         GemmValues values) {
  if (values == GemmValues::normal) return normal_part(size.n * size.k, precision, 2);
  if (size.w_by_inner)
    return whole_part(size.k, size.n, precision, [](std::int64_t inner, std::int64_t column) {
      return gemm_w(column, inner);
    });
  return whole_part(size.n, size.k, precision, gemm_w);
}

void repeat(void* to, std::size_t bytes, const std::vector<std::uint8_t>& part) {
  auto* const first = static_cast<std::uint8_t*>(to);
  for (std::size_t done = 0; done < bytes; done += part.size())
    std::memcpy(first + done, part.data(), std::min(part.size(), bytes - done));
}

GemmCheck check_product(const std::function<const void*(std::int64_t)>& row_of_c,
                        const GemmSize& size, const std::string& precision) {
  GemmCheck result;
  const std::size_t width = gemm_types(precision).result;
  for (const std::int64_t i : places(size.m)) {
    const auto* const row = static_cast<const std::uint8_t*>(row_of_c(i));
    for (const std::int64_t j : places(size.n)) {
      const std::uint8_t* const place = row + static_cast<std::size_t>(j) * width;
      ++result.checked;
      if (read_result(place, precision) != gemm_expected(i, j, size.k)) ++result.wrong;
    }
  }
  return result;
}

GemmCheck check_product(const void* c, const GemmSize& size, const std::string& precision) {
  const std::size_t row = static_cast<std::size_t>(size.n) * gemm_types(precision).result;
  return check_product(
      [c, row](std::int64_t i) {
        return static_cast<const std::uint8_t*>(c) + static_cast<std::size_t>(i) * row;
      },
      size, precision);
}

}  // namespace scalemark::micro
