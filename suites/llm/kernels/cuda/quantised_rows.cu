// SPDX-License-Identifier: Apache-2.0
// Kernels of NF4 and fake quantisation. Compiled without contraction: see fake_quant_codes.hpp.
#include "suites/llm/kernels/cuda/launch.cuh"
#include "suites/llm/kernels/cuda/rows.hpp"
#include "suites/llm/quant/fake_quant_codes.hpp"
#include "suites/llm/quant/nf4_rows.hpp"

namespace scalemark::llm::cuda {
namespace {

constexpr int kBytes = 4;  ///< of codes that a thread takes at once

/// The codes' values, rounded to the type of the weight.
template <typename T>
struct Codebook {
  Wide<T> values[16];
};
template <typename T>
Codebook<T> codebook() {
  Codebook<T> book{};
  for (std::size_t i = 0; i < nf4::kCodebook.size(); ++i)
    book.values[i] = rounded<T>(static_cast<Wide<T>>(nf4::kCodebook[i]));
  return book;
}

template <typename T>
__global__ void dequantise_kernel(const std::uint32_t* packed, const std::int8_t* scalers,
                                  const T* factors, const T* mean, Codebook<T> given,
                                  std::int64_t count, T* weight) {
  __shared__ Wide<T> book[16];  // lanes look up different codes
  if (threadIdx.x < 16) book[threadIdx.x] = given.values[threadIdx.x];
  __syncthreads();
  const Wide<T> wide_mean = widen(*mean);
  for (std::int64_t i = first_of_thread(); i < count; i += threads_of_grid()) {
    const std::uint32_t codes = packed[i];
    const std::int64_t element = i * 2 * kBytes, block = element / nf4::kBlock;
    const Wide<T> scale =
        nf4::scale_of<T>(scalers[block], widen(factors[block / nf4::kScalerBlock]), wide_mean);
    for (int byte = 0; byte < kBytes; ++byte) {  // the lowest comes first in memory
      const std::uint32_t pair = codes >> (8 * byte);
      weight[element + 2 * byte] = narrow<T>(book[(pair >> 4U) & 15U] * scale);
      weight[element + 2 * byte + 1] = narrow<T>(book[pair & 15U] * scale);
    }
  }
}

/// One warp per group. Mask: `out` is a gradient, which becomes zero where codes are clipped.
template <typename T, bool Mask>
__global__ void weights_kernel(const T* weights, std::int64_t groups, std::int64_t size,
                               float floor, T* out) {
  const std::int64_t lane = threadIdx.x % 32;
  for (std::int64_t g = first_of_thread() / 32; g < groups; g += threads_of_grid() / 32) {
    const T* const w = weights + g * size;
    std::int32_t largest = 0;
    for (std::int64_t i = lane; i < size; i += 32)
      largest = max(largest, fake_quant::magnitude_bits(widen(w[i])));
    const auto s = fake_quant::weight_scale<T>(largest_in_warp(largest), floor);
    for (std::int64_t i = lane; i < size; i += 32) {
      const float code = fake_quant::weight_code(widen(w[i]), s);
      if constexpr (Mask) {
        if (fake_quant::weight_clipped(code)) out[g * size + i] = narrow<T>(0);
      } else {
        out[g * size + i] = narrow<T>(fake_quant::weight_value(code, s));
      }
    }
  }
}

/// One block per token.
template <typename T, bool Mask>
__global__ void tokens_kernel(const T* tokens, std::int64_t count, std::int64_t width, T* out) {
  __shared__ std::int32_t room[kThreads / 32];
  for (std::int64_t t = blockIdx.x; t < count; t += gridDim.x) {
    const T* const x = tokens + t * width;
    std::int32_t most = 0, least = 0;
    for (std::int64_t i = threadIdx.x; i < width; i += kThreads) {
      most = max(most, fake_quant::bits(widen(x[i])));
      least = max(least, fake_quant::negated_bits(widen(x[i])));
    }
    most = largest_in_block(most, room);
    const auto s = fake_quant::token_scale<T>(most, largest_in_block(least, room));
    for (std::int64_t i = threadIdx.x; i < width; i += kThreads) {
      const float code = fake_quant::token_code(widen(x[i]), s);
      if constexpr (Mask) {
        if (fake_quant::token_clipped(code)) out[t * width + i] = narrow<T>(0);
      } else {
        out[t * width + i] = narrow<T>(fake_quant::token_value(code, s));
      }
    }
  }
}

template <typename T, bool Mask>
void launch_weights(const T* w, std::int64_t groups, std::int64_t size, float floor, T* out,
                    cudaStream_t stream) {
  if (groups == 0) return;
  weights_kernel<T, Mask>
      <<<blocks_for(groups * 32), kThreads, 0, stream>>>(w, groups, size, floor, out);
  device::check_launch("fake quantisation of weights");
}

template <typename T, bool Mask>
void launch_tokens(const T* x, std::int64_t count, std::int64_t width, T* out,
                   cudaStream_t stream) {
  if (count == 0) return;
  tokens_kernel<T, Mask>
      <<<blocks_for(count * kThreads), kThreads, 0, stream>>>(x, count, width, out);
  device::check_launch("fake quantisation of tokens");
}

}  // namespace

template <typename T>
void dequantise_nf4(const std::uint8_t* packed, const std::int8_t* scalers, const T* factors,
                    const T* mean, std::int64_t count_factors, T* weight, cudaStream_t stream) {
  const std::int64_t words = count_factors * nf4::kScalerBlock * nf4::kBlock / (2 * kBytes);
  if (words == 0) return;
  dequantise_kernel<T><<<blocks_for(words), kThreads, 0, stream>>>(
      reinterpret_cast<const std::uint32_t*>(packed), scalers, factors, mean, codebook<T>(), words,
      weight);
  device::check_launch("dequantise_nf4");
}

template <typename T>
void fake_quantise_weights(const T* w, std::int64_t groups, std::int64_t size, float floor,
                           T* values, cudaStream_t stream) {
  launch_weights<T, false>(w, groups, size, floor, values, stream);
}
template <typename T>
void mask_weights(const T* w, std::int64_t groups, std::int64_t size, float floor, T* gradient,
                  cudaStream_t stream) {
  launch_weights<T, true>(w, groups, size, floor, gradient, stream);
}
template <typename T>
void fake_quantise_tokens(const T* x, std::int64_t count, std::int64_t width, T* values,
                          cudaStream_t stream) {
  launch_tokens<T, false>(x, count, width, values, stream);
}
template <typename T>
void mask_tokens(const T* x, std::int64_t count, std::int64_t width, T* gradient,
                 cudaStream_t stream) {
  launch_tokens<T, true>(x, count, width, gradient, stream);
}

#define SCALEMARK_DEQUANTISE(T)                                                             \
  template void dequantise_nf4(const std::uint8_t*, const std::int8_t*, const T*, const T*, \
                               std::int64_t, T*, cudaStream_t)
SCALEMARK_DEQUANTISE(float);
SCALEMARK_DEQUANTISE(double);
SCALEMARK_DEQUANTISE(c10::BFloat16);
#undef SCALEMARK_DEQUANTISE
#define SCALEMARK_FAKE_QUANTISE(T)                                                            \
  template void fake_quantise_weights(const T*, std::int64_t, std::int64_t, float, T*,        \
                                      cudaStream_t);                                          \
  template void mask_weights(const T*, std::int64_t, std::int64_t, float, T*, cudaStream_t);  \
  template void fake_quantise_tokens(const T*, std::int64_t, std::int64_t, T*, cudaStream_t); \
  template void mask_tokens(const T*, std::int64_t, std::int64_t, T*, cudaStream_t)
SCALEMARK_FAKE_QUANTISE(float);
SCALEMARK_FAKE_QUANTISE(c10::BFloat16);
#undef SCALEMARK_FAKE_QUANTISE

}  // namespace scalemark::llm::cuda
