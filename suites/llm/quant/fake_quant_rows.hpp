// SPDX-License-Identifier: Apache-2.0
// The loops of fake quantisation, compiled for several instruction sets. Formulas: fake_quant.hpp.
#pragma once

#include <cstdint>

#include <c10/util/BFloat16.h>

namespace scalemark::llm::fake_quant {

/// What a code may be, and what a scale is measured by.
inline constexpr float kWeightMin = -8, kWeightMax = 7, kWeightRange = 7.5F;
inline constexpr float kTokenMin = -128, kTokenMax = 127, kTokenRange = 255;
/// Least scale of activations, and of weights in fp32; weights in bf16 have another (2^-7).
inline constexpr float kFp32Epsilon = 0x1p-23F, kBf16Epsilon = 0x1p-7F;

/// Quantised and back: `groups` groups of `size` consecutive weights.
void weights(const float* w, std::int64_t groups, std::int64_t size, float floor, float* values);
void weights(const c10::BFloat16* w, std::int64_t groups, std::int64_t size, float floor,
             c10::BFloat16* values);
/// Sets gradients to zero where the weight's code was clipped.
void mask_weights(const float* w, std::int64_t groups, std::int64_t size, float floor,
                  float* gradient);
void mask_weights(const c10::BFloat16* w, std::int64_t groups, std::int64_t size, float floor,
                  c10::BFloat16* gradient);

/// Quantised and back: `count` rows of `width` activations.
void tokens(const float* x, std::int64_t count, std::int64_t width, float* values);
void tokens(const c10::BFloat16* x, std::int64_t count, std::int64_t width, c10::BFloat16* values);
/// Sets gradients to zero where the activation's code was clipped.
void mask_tokens(const float* x, std::int64_t count, std::int64_t width, float* gradient);
void mask_tokens(const c10::BFloat16* x, std::int64_t count, std::int64_t width,
                 c10::BFloat16* gradient);

}  // namespace scalemark::llm::fake_quant
