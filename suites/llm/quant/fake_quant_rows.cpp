// SPDX-License-Identifier: Apache-2.0
// The loops of fake quantisation. Compiled without contraction: see fake_quant_codes.hpp.
#include "suites/llm/quant/fake_quant_rows.hpp"

#include <algorithm>

#include "suites/llm/quant/fake_quant_codes.hpp"

namespace scalemark::llm::fake_quant {
namespace {

template <typename T>
SCALEMARK_INLINE WeightScale scale_of_group(const T* w, std::int64_t size, float floor) {
  std::int32_t largest = 0;
  for (std::int64_t i = 0; i < size; ++i) largest = std::max(largest, magnitude_bits(widen(w[i])));
  return weight_scale<T>(largest, floor);
}

template <typename T>
SCALEMARK_INLINE void weights_loop(const T* w, std::int64_t groups, std::int64_t size, float floor,
                                   T* __restrict values) {
  for (std::int64_t g = 0; g < groups; ++g, w += size, values += size) {
    const WeightScale s = scale_of_group(w, size, floor);
    for (std::int64_t i = 0; i < size; ++i)
      values[i] = narrow<T>(weight_value(weight_code(widen(w[i]), s), s));
  }
}

template <typename T>
SCALEMARK_INLINE void mask_weights_loop(const T* w, std::int64_t groups, std::int64_t size,
                                        float floor, T* __restrict gradient) {
  for (std::int64_t g = 0; g < groups; ++g, w += size, gradient += size) {
    const WeightScale s = scale_of_group(w, size, floor);
    for (std::int64_t i = 0; i < size; ++i)
      gradient[i] = weight_clipped(weight_code(widen(w[i]), s)) ? T(0) : gradient[i];
  }
}

template <typename T>
SCALEMARK_INLINE TokenScale scale_of_token(const T* x, std::int64_t width) {
  std::int32_t most = 0, least = 0;
  for (std::int64_t i = 0; i < width; ++i) {
    most = std::max(most, bits(widen(x[i])));
    least = std::max(least, negated_bits(widen(x[i])));
  }
  return token_scale<T>(most, least);
}

template <typename T>
SCALEMARK_INLINE void tokens_loop(const T* x, std::int64_t count, std::int64_t width,
                                  T* __restrict values) {
  for (std::int64_t t = 0; t < count; ++t, x += width, values += width) {
    const TokenScale s = scale_of_token(x, width);
    for (std::int64_t i = 0; i < width; ++i)
      values[i] = narrow<T>(token_value(token_code(widen(x[i]), s), s));
  }
}

template <typename T>
SCALEMARK_INLINE void mask_tokens_loop(const T* x, std::int64_t count, std::int64_t width,
                                       T* __restrict gradient) {
  for (std::int64_t t = 0; t < count; ++t, x += width, gradient += width) {
    const TokenScale s = scale_of_token(x, width);
    for (std::int64_t i = 0; i < width; ++i)
      gradient[i] = token_clipped(token_code(widen(x[i]), s)) ? T(0) : gradient[i];
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
