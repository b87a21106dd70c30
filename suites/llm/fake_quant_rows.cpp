// SPDX-License-Identifier: Apache-2.0
// The loops of fake quantisation. Compiled without contraction: v * (1 / scale) must be rounded
// before it is rounded to a code, for the largest weight of each group lies on a tie.
#include "suites/llm/fake_quant_rows.hpp"

#include <algorithm>

#include "suites/llm/narrow.hpp"

namespace scalemark::llm::fake_quant {
namespace {

constexpr std::uint32_t kSign = 0x8000'0000U;

/// To nearest, ties to even, for |x| < 2^22: the unit in the last place of the sum is 1.
SCALEMARK_INLINE float round_even(float x) {
  constexpr float kMagic = 0x1.8p23F;
  return (x + kMagic) - kMagic;
}

SCALEMARK_INLINE float clip(float code, float least, float most) {
  return std::min(std::max(code, least), most);
}

// Floats of one sign are ordered as their bits are, and the largest integer is a loop that
// compilers vectorise without being told that there is no NaN. NaN is above infinity, and stays.

template <typename T>
SCALEMARK_INLINE float largest_magnitude(const T* v, std::int64_t count) {
  std::int32_t largest = 0;
  for (std::int64_t i = 0; i < count; ++i)
    largest = std::max(largest, std::bit_cast<std::int32_t>(widen(v[i])) & 0x7FFF'FFFF);
  return std::bit_cast<float>(largest);
}

/// scale and 1 / scale of a group of weights.
struct WeightScale {
  float scale, inverse;
};
template <typename T>
SCALEMARK_INLINE WeightScale weight_scale(const T* w, std::int64_t size, float floor) {
  const float scale = std::max(rounded<T>(largest_magnitude(w, size) / kWeightRange), floor);
  return {scale, 1 / scale};
}

template <typename T>
SCALEMARK_INLINE void weights_loop(const T* w, std::int64_t groups, std::int64_t size, float floor,
                                   T* __restrict values) {
  for (std::int64_t g = 0; g < groups; ++g, w += size, values += size) {
    const WeightScale s = weight_scale(w, size, floor);
    for (std::int64_t i = 0; i < size; ++i) {
      const float code = clip(round_even(widen(w[i]) * s.inverse), kWeightMin, kWeightMax);
      values[i] = narrow<T>(code * s.scale);
    }
  }
}

template <typename T>
SCALEMARK_INLINE void mask_weights_loop(const T* w, std::int64_t groups, std::int64_t size,
                                        float floor, T* __restrict gradient) {
  for (std::int64_t g = 0; g < groups; ++g, w += size, gradient += size) {
    const WeightScale s = weight_scale(w, size, floor);
    for (std::int64_t i = 0; i < size; ++i) {
      const float code = round_even(widen(w[i]) * s.inverse);
      const bool clipped = code < kWeightMin || code > kWeightMax;
      gradient[i] = clipped ? T(0) : gradient[i];
    }
  }
}

struct TokenScale {
  float scale, inverse, zero_point;
};
template <typename T>
SCALEMARK_INLINE TokenScale token_scale(const T* x, std::int64_t width) {
  std::int32_t most = 0, least = 0;  // of the positive ones, and the negative ones' magnitude
  for (std::int64_t i = 0; i < width; ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(widen(x[i]));
    most = std::max(most, static_cast<std::int32_t>(bits));
    least = std::max(least, static_cast<std::int32_t>(bits ^ kSign));
  }
  const float minimum = -std::bit_cast<float>(least), maximum = std::bit_cast<float>(most);
  const float range = rounded<T>(maximum - minimum);
  const float scale = std::max(rounded<T>(range / kTokenRange), kFp32Epsilon);
  const float steps = round_even(rounded<T>(minimum / scale));
  return {scale, 1 / scale, clip(rounded<T>(kTokenMin - steps), kTokenMin, kTokenMax)};
}

template <typename T>
SCALEMARK_INLINE void tokens_loop(const T* x, std::int64_t count, std::int64_t width,
                                  T* __restrict values) {
  for (std::int64_t t = 0; t < count; ++t, x += width, values += width) {
    const TokenScale s = token_scale(x, width);
    for (std::int64_t i = 0; i < width; ++i) {
      const float code = round_even(widen(x[i]) * s.inverse) + s.zero_point;
      values[i] = narrow<T>((clip(code, kTokenMin, kTokenMax) - s.zero_point) * s.scale);
    }
  }
}

template <typename T>
SCALEMARK_INLINE void mask_tokens_loop(const T* x, std::int64_t count, std::int64_t width,
                                       T* __restrict gradient) {
  for (std::int64_t t = 0; t < count; ++t, x += width, gradient += width) {
    const TokenScale s = token_scale(x, width);
    for (std::int64_t i = 0; i < width; ++i) {
      const float code = round_even(widen(x[i]) * s.inverse) + s.zero_point;
      const bool clipped = code < kTokenMin || code > kTokenMax;
      gradient[i] = clipped ? T(0) : gradient[i];
    }
  }
}

}  // namespace

SCALEMARK_CLONES
void weights(const float* w, std::int64_t groups, std::int64_t size, float floor, float* values) {
  weights_loop(w, groups, size, floor, values);
}
SCALEMARK_CLONES
void weights(const c10::BFloat16* w, std::int64_t groups, std::int64_t size, float floor,
             c10::BFloat16* values) {
  weights_loop(w, groups, size, floor, values);
}

SCALEMARK_CLONES
void mask_weights(const float* w, std::int64_t groups, std::int64_t size, float floor,
                  float* gradient) {
  mask_weights_loop(w, groups, size, floor, gradient);
}
SCALEMARK_CLONES
void mask_weights(const c10::BFloat16* w, std::int64_t groups, std::int64_t size, float floor,
                  c10::BFloat16* gradient) {
  mask_weights_loop(w, groups, size, floor, gradient);
}

SCALEMARK_CLONES
void tokens(const float* x, std::int64_t count, std::int64_t width, float* values) {
  tokens_loop(x, count, width, values);
}
SCALEMARK_CLONES
void tokens(const c10::BFloat16* x, std::int64_t count, std::int64_t width, c10::BFloat16* values) {
  tokens_loop(x, count, width, values);
}

SCALEMARK_CLONES
void mask_tokens(const float* x, std::int64_t count, std::int64_t width, float* gradient) {
  mask_tokens_loop(x, count, width, gradient);
}
SCALEMARK_CLONES
void mask_tokens(const c10::BFloat16* x, std::int64_t count, std::int64_t width,
                 c10::BFloat16* gradient) {
  mask_tokens_loop(x, count, width, gradient);
}

}  // namespace scalemark::llm::fake_quant
