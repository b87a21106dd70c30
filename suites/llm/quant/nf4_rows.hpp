// SPDX-License-Identifier: Apache-2.0
// Dequantising NF4: one number, for loops on CPUs and kernels on GPUs, and the loop for CPUs,
// compiled for several instruction sets.
#pragma once

#include <array>
#include <cstdint>

#include <c10/util/BFloat16.h>

#include "suites/llm/quant/narrow.hpp"

namespace scalemark::llm::nf4 {

inline constexpr std::int64_t kBlock = 64;         ///< elements that share a scale
inline constexpr std::int64_t kScalerBlock = 256;  ///< scales that share a factor
/// The quantiles of the normal distribution that QLoRA (Dettmers et al. 2023, appendix E) derives,
/// with the four digits that the libraries keep.
inline constexpr std::array<double, 16> kCodebook{
    -1.0,   -0.6962, -0.5251, -0.3949, -0.2844, -0.1848, -0.0911, 0.0,
    0.0796, 0.1609,  0.2461,  0.3379,  0.4407,  0.5626,  0.7230,  1.0};

/// scaler / factor + mean, each rounded to the type of the weight.
template <typename T>
SCALEMARK_INLINE Wide<T> scale_of(std::int8_t scaler, Wide<T> factor, Wide<T> mean) {
  return rounded<T>(rounded<T>(static_cast<Wide<T>>(scaler) / factor) + mean);
}

/// kScalerBlock blocks: element = codebook[code] * scale_of(its block), rounded to the type.
/// `packed` holds two codes a byte, the first in the high half.
void dequantise(const std::uint8_t* packed, const std::int8_t* scalers, float factor, float mean,
                float* weight);
void dequantise(const std::uint8_t* packed, const std::int8_t* scalers, double factor, double mean,
                double* weight);
void dequantise(const std::uint8_t* packed, const std::int8_t* scalers, c10::BFloat16 factor,
                c10::BFloat16 mean, c10::BFloat16* weight);

}  // namespace scalemark::llm::nf4
