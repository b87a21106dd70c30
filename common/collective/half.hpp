// SPDX-License-Identifier: Apache-2.0
// 16-bit floating-point numbers as bits, to and from fp32; rounded to nearest, ties to even.
#pragma once

#include <bit>
#include <cstdint>

namespace scalemark::collective {

/// bfloat16: the upper half of a fp32.
struct Bf16 {
  using Bits = std::uint16_t;
  /// The same value as a float.
  static float widen(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
  }
  /// The nearest value; ties go to the even one.
  static std::uint16_t narrow(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7FFF'FFFFU) > 0x7F80'0000U) return 0x7FC0;  // rounding could make it infinite
    return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U);
  }
};

/// IEEE 754 binary16.
struct Fp16 {
  using Bits = std::uint16_t;
  /// The same value as a float.
  static float widen(std::uint16_t bits) {
    const std::uint32_t sign = (bits & 0x8000U) << 16U, rest = bits & 0x7FFFU;
    if (rest >= 0x7C00U)  // infinite, or not a number
      return std::bit_cast<float>(sign | 0x7F80'0000U | rest << 13U);
    // The exponent's bias is 15 there and 127 here.
    const float magnitude = std::bit_cast<float>(rest << 13U) * 0x1p112F;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
  }
  /// The nearest value; ties go to the even one.
  static std::uint16_t narrow(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = (bits >> 16U) & 0x8000U, rest = bits & 0x7FFF'FFFFU;
    std::uint32_t narrowed = 0;
    if (rest > 0x7F80'0000U) {
      narrowed = 0x7E00U;  // not a number
    } else if (rest >= 0x477F'F000U) {
      narrowed = 0x7C00U;  // from 65520 on: infinite
    } else if (rest >= 0x3880'0000U) {
      const std::uint32_t rebiased = rest - (112U << 23U);
      narrowed = (rebiased + 0xFFFU + ((rebiased >> 13U) & 1U)) >> 13U;
    } else {
      // Below 2^-14 the step is 2^-24, as that of fp32 from 0.5 to 1: the sum is rounded to it.
      const float sum = std::bit_cast<float>(rest) + 0.5F;
      narrowed = std::bit_cast<std::uint32_t>(sum) - 0x3F00'0000U;
    }
    return static_cast<std::uint16_t>(sign | narrowed);
  }
};

}  // namespace scalemark::collective
