// SPDX-License-Identifier: Apache-2.0
// Kernels over rows of numbers in a GPU's memory. They are queued on the stream and return at once;
// pointers are aligned to 16 bytes. Types: float, c10::BFloat16, double (not for fake quantisation)
// and c10::Half (for SwiGLU and rotate() only). All throw Error when a launch fails.
#pragma once

#include <cstdint>

#include <c10/util/BFloat16.h>
#include <cuda_runtime_api.h>

#include "suites/llm/quant/narrow.hpp"

namespace scalemark::llm::cuda {

/// y = silu(gate) * up of `count` elements, computed in the wide type.
template <typename T>
void swiglu(const T* gate, const T* up, std::int64_t count, T* y, cudaStream_t stream);
/// Its gradients from `dy`.
template <typename T>
void swiglu_gradient(const T* dy, const T* gate, const T* up, std::int64_t count, T* dgate, T* dup,
                     cudaStream_t stream);

/// What rotate() turns: `tokens` rows of `heads` heads of `pairs` interleaved pairs.
struct Rotation {
  std::int64_t tokens, heads, pairs;
  std::int64_t places;  ///< rows of the table, which repeat over the tokens
  bool back;            ///< by the negative angle
};
/// y = x turned by `table`: (cosine, sine) of each place and pair.
template <typename T>
void rotate(const T* x, const Wide<T>* table, const Rotation& shape, T* y, cudaStream_t stream);

/// The weight of NF4 codes (Nf4Tensor) with `factors` factors.
template <typename T>
void dequantise_nf4(const std::uint8_t* packed, const std::int8_t* scalers, const T* factors,
                    const T* mean, std::int64_t count_factors, T* weight, cudaStream_t stream);

/// As fake_quant::weights, mask_weights, tokens, mask_tokens.
template <typename T>
void fake_quantise_weights(const T* w, std::int64_t groups, std::int64_t size, float floor,
                           T* values, cudaStream_t stream);
template <typename T>
void mask_weights(const T* w, std::int64_t groups, std::int64_t size, float floor, T* gradient,
                  cudaStream_t stream);
template <typename T>
void fake_quantise_tokens(const T* x, std::int64_t count, std::int64_t width, T* values,
                          cudaStream_t stream);
template <typename T>
void mask_tokens(const T* x, std::int64_t count, std::int64_t width, T* gradient,
                 cudaStream_t stream);

}  // namespace scalemark::llm::cuda
