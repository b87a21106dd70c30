// SPDX-License-Identifier: Apache-2.0
// 8-bit floating-point numbers as bits, to and from fp32 (OCP 8-bit Floating Point Specification
// 1.0). Values beyond the largest finite one become that one, as CUDA's conversions do.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace scalemark::collective {

/// Sign, exponent and `kMantissa` bits of mantissa. The bits from `kLargest` + 1 on are infinite or
/// no number.
template <int kMantissa, int kBias, std::uint8_t kLargest, bool kHasInfinity>
struct Fp8 {
  using Bits = std::uint8_t;

  /// The same value as a float.
  static float widen(Bits bits) {
    const int rest = bits & 0x7F;
    const float sign = (bits & 0x80) != 0 ? -1.0F : 1.0F;
    if (rest > kLargest) {
      const bool infinite = kHasInfinity && rest == kLargest + 1;
      return sign * (infinite ? std::numeric_limits<float>::infinity()
                              : std::numeric_limits<float>::quiet_NaN());
    }
    const int exponent = rest >> kMantissa, mantissa = rest & (kOne - 1);
    // The smallest exponent has no leading one.
    const int digits = exponent == 0 ? mantissa : kOne + mantissa;
    return sign * std::ldexp(static_cast<float>(digits), std::max(exponent, 1) - kBias - kMantissa);
  }

  /// The nearest value; ties go to the even one.
  static Bits narrow(float value) {
    const Bits sign = std::signbit(value) ? 0x80 : 0;
    if (std::isnan(value)) return sign | 0x7F;
    const float magnitude = std::abs(value);
    if (magnitude >= widen(kLargest)) return sign | kLargest;
    const int exponent = magnitude == 0 ? 1 - kBias : std::max(std::ilogb(magnitude), 1 - kBias);
    // Rounding up to the next power of two carries over into the exponent's bits.
    const auto digits =
        static_cast<int>(std::nearbyint(std::ldexp(magnitude, kMantissa - exponent)));
    const int bits = digits < kOne ? digits : ((exponent + kBias - 1) << kMantissa) + digits;
    return static_cast<Bits>(sign | std::min<int>(bits, kLargest));
  }

 private:
  static constexpr int kOne = 1 << kMantissa;
};

using Fp8E4m3 = Fp8<3, 7, 0x7E, false>;  ///< up to 448
using Fp8E5m2 = Fp8<2, 15, 0x7B, true>;  ///< up to 57344

}  // namespace scalemark::collective
