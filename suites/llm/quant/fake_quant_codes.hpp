// SPDX-License-Identifier: Apache-2.0
// Fake quantisation of one number, for loops on CPUs and kernels on GPUs. Formulas: fake_quant.hpp.
// Sources that include it are compiled without contraction: v * (1 / scale) must be rounded before
// it is rounded to a code, for the largest weight of each group lies on a tie.
#pragma once

#include <bit>
#include <cstdint>

#include "suites/llm/quant/fake_quant_rows.hpp"
#include "suites/llm/quant/narrow.hpp"

namespace scalemark::llm::fake_quant {

inline constexpr std::uint32_t kSign = 0x8000'0000U;

/// To nearest, ties to even, for |x| < 2^22: the unit in the last place of the sum is 1.
SCALEMARK_INLINE float round_even(float x) {
  constexpr float kMagic = 0x1.8p23F;
  return (x + kMagic) - kMagic;
}

SCALEMARK_INLINE float larger(float a, float b) { return a < b ? b : a; }
SCALEMARK_INLINE float clip(float code, float least, float most) {
  const float above = larger(code, least);
  return most < above ? most : above;
}

// Floats of one sign are ordered as their bits are, and the largest integer is a loop that
// compilers vectorise without being told that there is no NaN. NaN is above infinity, and stays.

/// Bits of |x|.
SCALEMARK_INLINE std::int32_t magnitude_bits(float x) {
  return std::bit_cast<std::int32_t>(x) & 0x7FFF'FFFF;
}
/// Bits of x, and of -x: the larger of those of many numbers, and 0, is that of the most positive
/// and of the most negative one.
SCALEMARK_INLINE std::int32_t bits(float x) { return std::bit_cast<std::int32_t>(x); }
SCALEMARK_INLINE std::int32_t negated_bits(float x) {
  return static_cast<std::int32_t>(std::bit_cast<std::uint32_t>(x) ^ kSign);
}

/// scale and 1 / scale of a group of weights.
struct WeightScale {
  float scale, inverse;
};
/// `largest`: magnitude_bits() of the group.
template <typename T>
SCALEMARK_INLINE WeightScale weight_scale(std::int32_t largest, float floor) {
  const float scale = larger(rounded<T>(std::bit_cast<float>(largest) / kWeightRange), floor);
  return {scale, 1 / scale};
}
/// Not clipped.
SCALEMARK_INLINE float weight_code(float w, const WeightScale& s) {
  return round_even(w * s.inverse);
}
SCALEMARK_INLINE bool weight_clipped(float code) { return code < kWeightMin || code > kWeightMax; }
SCALEMARK_INLINE float weight_value(float code, const WeightScale& s) {
  return clip(code, kWeightMin, kWeightMax) * s.scale;
}

struct TokenScale {
  float scale, inverse, zero_point;
};
/// `most` and `least`: bits() and negated_bits() of the token's activations.
template <typename T>
SCALEMARK_INLINE TokenScale token_scale(std::int32_t most, std::int32_t least) {
  const float minimum = -std::bit_cast<float>(least), maximum = std::bit_cast<float>(most);
  const float range = rounded<T>(maximum - minimum);
  const float scale = larger(rounded<T>(range / kTokenRange), kFp32Epsilon);
  const float steps = round_even(rounded<T>(minimum / scale));
  return {scale, 1 / scale, clip(rounded<T>(kTokenMin - steps), kTokenMin, kTokenMax)};
}
SCALEMARK_INLINE float token_code(float x, const TokenScale& s) {
  return round_even(x * s.inverse) + s.zero_point;
}
SCALEMARK_INLINE bool token_clipped(float code) { return code < kTokenMin || code > kTokenMax; }
SCALEMARK_INLINE float token_value(float code, const TokenScale& s) {
  return (clip(code, kTokenMin, kTokenMax) - s.zero_point) * s.scale;
}

}  // namespace scalemark::llm::fake_quant
