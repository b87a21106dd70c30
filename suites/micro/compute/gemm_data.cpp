// SPDX-License-Identifier: Apache-2.0
// Matrices of small whole numbers, and the check of their product.
#include "suites/micro/compute/gemm_data.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <random>
#include <type_traits>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/collective/half.hpp"

namespace scalemark::micro {
namespace {

/// Dimensions of Meta's models (config.json of Meta-Llama-3-8B, Llama-3.2-3B and -1B).
struct Llama {
  const char* name;
  std::int64_t dim, key_value, feed_forward, vocabulary;
};
constexpr std::array<Llama, 3> kLlamas = {{{"8b", 4096, 1024, 14336, 128256},
                                           {"3b", 3072, 1024, 8192, 128256},
                                           {"1b", 2048, 512, 8192, 128256}}};

/// E4M3 codes of 0 to 3: sign, four exponent bits with bias 7, three fraction bits (OCP OFP8).
constexpr std::array<std::uint8_t, 4> kE4m3 = {0x00, 0x38, 0x40, 0x44};

/// Number of rows and of columns that are checked.
constexpr std::int64_t kPlaces = 48;

/// Encodings of -3 .. 3 in the operands' type.
class Patterns {
 public:
  explicit Patterns(const std::string& precision) : width_(gemm_types(precision).operand) {
    for (int value = -kLargest; value <= kLargest; ++value) {
      const auto number = static_cast<float>(value);
      if (precision == "fp64")
        put(value, static_cast<double>(value));
      else if (precision == "bf16")
        put(value, collective::Bf16::narrow(number));
      else if (precision == "fp16")
        put(value, collective::Fp16::narrow(number));
      else if (precision == "fp8")
        put(value, e4m3(value));
      else
        put(value, number);
    }
  }
  void write(std::uint8_t* to, int value) const { std::memcpy(to, at(value).data(), width_); }
  std::size_t width() const { return width_; }

 private:
  static constexpr int kLargest = 3;
  using Bytes = std::array<std::uint8_t, sizeof(double)>;

  static std::uint8_t e4m3(int value) {
    const std::uint8_t magnitude = kE4m3.at(static_cast<std::size_t>(value < 0 ? -value : value));
    return static_cast<std::uint8_t>(magnitude | (value < 0 ? 0x80U : 0U));
  }
  const Bytes& at(int value) const { return bytes_.at(static_cast<std::size_t>(value + kLargest)); }
  template <typename T>
  void put(int value, T number) {
    std::memcpy(bytes_.at(static_cast<std::size_t>(value + kLargest)).data(), &number,
                sizeof number);
  }

  std::size_t width_;
  std::array<Bytes, 2 * kLargest + 1> bytes_{};
};

/// Uniform in [-1, 1).
template <typename T>
T from_bits(std::uint64_t bits) {
  if constexpr (std::is_same_v<T, std::uint8_t>) {
    constexpr std::uint64_t kCodesBelowOne = 0x38;
    return static_cast<std::uint8_t>((bits >> 8) % kCodesBelowOne | (bits & 1) << 7);
  } else if constexpr (std::is_same_v<T, double>) {
    return static_cast<double>(bits >> 11) * 0x1p-52 - 1;
  } else {
    return static_cast<float>(bits >> 40) * 0x1p-23F - 1;
  }
}

/// Calls `encode` with a random number for each element.
template <typename T, typename Encode>
void write_each(std::uint8_t* to, std::int64_t elements, std::uint64_t seed, Encode encode) {
  std::mt19937_64 random(seed);
  for (std::int64_t i = 0; i < elements; ++i) {
    const auto value = encode(from_bits<T>(random()));
    std::memcpy(to, &value, sizeof value);
    to += sizeof value;
  }
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

double GemmSize::flops() const {
  return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

const std::vector<std::string>& gemm_shapes() {
  static const std::vector<std::string> names = {"square", "query",        "key_value",
                                                 "gate",   "feed_forward", "head"};
  return names;
}

GemmSize gemm_size(const std::string& shape, const std::string& model, std::int64_t rows) {
  if (shape == "square") return {rows, rows, rows};
  const auto* const llama =
      std::ranges::find_if(kLlamas, [&](const Llama& one) { return model == one.name; });
  if (llama == kLlamas.end())
    throw UsageError(fmt::format("no model '{}'; allowed: 1b, 3b, 8b", model));
  if (shape == "query") return {rows, llama->dim, llama->dim};
  if (shape == "key_value") return {rows, llama->key_value, llama->dim};
  if (shape == "gate") return {rows, llama->feed_forward, llama->dim};
  if (shape == "feed_forward") return {rows, llama->dim, llama->feed_forward};
  if (shape == "head") return {rows, llama->vocabulary, llama->dim};
  throw UsageError(fmt::format("no product '{}'", shape));
}

GemmTypes gemm_types(const std::string& precision) {
  if (precision == "fp64") return {8, 8};
  if (precision == "fp32" || precision == "tf32") return {4, 4};
  if (precision == "bf16" || precision == "fp16") return {2, 2};
  if (precision == "fp8") return {1, 2};
  throw UsageError(fmt::format("no precision '{}'", precision));
}

int gemm_a(std::int64_t row, std::int64_t inner) {
  return static_cast<int>((row * 3 + inner * 5) % 7) - 3;
}

int gemm_w(std::int64_t column, std::int64_t inner) {
  return static_cast<int>((column * 3 + inner * 2) % 5) - 2;
}

int gemm_expected(std::int64_t row, std::int64_t column, std::int64_t k) {
  constexpr std::int64_t kPeriod = 35;  // 7 * 5: each set of values adds up to 0
  int sum = 0;
  for (std::int64_t inner = k / kPeriod * kPeriod; inner < k; ++inner)
    sum += gemm_a(row, inner) * gemm_w(column, inner);
  return sum;
}

void write_operand(void* to, std::int64_t rows, std::int64_t columns, const std::string& precision,
                   int (*value)(std::int64_t, std::int64_t)) {
  auto* place = static_cast<std::uint8_t*>(to);
  const Patterns patterns(precision);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j, place += patterns.width())
      patterns.write(place, value(i, j));
  }
}

void write_random(void* to, std::int64_t elements, const std::string& precision,
                  std::uint64_t seed) {
  auto* const place = static_cast<std::uint8_t*>(to);
  if (precision == "fp64")
    write_each<double>(place, elements, seed, std::identity{});
  else if (precision == "bf16")
    write_each<float>(place, elements, seed, collective::Bf16::narrow);
  else if (precision == "fp16")
    write_each<float>(place, elements, seed, collective::Fp16::narrow);
  else if (precision == "fp8")
    write_each<std::uint8_t>(place, elements, seed, std::identity{});
  else
    write_each<float>(place, elements, seed, std::identity{});
}

void write_a(void* to, const GemmSize& size, const std::string& precision, GemmValues values) {
  if (values == GemmValues::known)
    write_operand(to, size.m, size.k, precision, gemm_a);
  else
    write_random(to, size.m * size.k, precision, 1);
}

void write_weight(void* to, const GemmSize& size, const std::string& precision, GemmValues values) {
  if (values == GemmValues::known)
    write_operand(to, size.n, size.k, precision, gemm_w);
  else
    write_random(to, size.n * size.k, precision, 2);
}

GemmCheck check_product(const void* c, const GemmSize& size, const std::string& precision) {
  GemmCheck result;
  const std::size_t width = gemm_types(precision).result;
  for (const std::int64_t i : places(size.m)) {
    for (const std::int64_t j : places(size.n)) {
      const auto* place =
          static_cast<const std::uint8_t*>(c) + static_cast<std::size_t>(i * size.n + j) * width;
      ++result.checked;
      if (read_result(place, precision) != gemm_expected(i, j, size.k)) ++result.wrong;
    }
  }
  return result;
}

}  // namespace scalemark::micro
