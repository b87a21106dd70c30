// SPDX-License-Identifier: Apache-2.0
// NF4: weights as 4-bit codes with quantised scales, and the linear map over them (QLoRA, Dettmers
// et al. 2023, section 3).
#pragma once

#include <cstdint>
#include <vector>

#include <torch/types.h>

namespace scalemark::llm {

/// A quantised weight of shape `shape`: about 4.13 bits an element. Blocks of 64 elements, in row
/// order, share a scale, the largest magnitude in them; 256 scales share a factor. Everything is
/// computed in the weight's type (fp64, fp32, bf16), which is the type of `factors` and `mean`.
struct Nf4Tensor {
  torch::Tensor packed;   ///< uint8 [elements / 2]: two codes, the first element's in the high half
  torch::Tensor scalers;  ///< int8 [elements / 64]: round((scale - mean) * factor)
  torch::Tensor factors;  ///< [elements / 16384]: 128 / max |scale - mean|; infinity for 0
  torch::Tensor mean;     ///< [], of all scales
  torch::Tensor codebook;  ///< [16], the codes' values
  std::vector<std::int64_t> shape;

  torch::ScalarType type() const { return factors.scalar_type(); }
};

/// Whether a weight of so many elements has whole blocks.
bool has_whole_nf4_blocks(std::int64_t elements);

/// Nearest code to w / scale, ties to the lower index; a block of zeros gets codes 0. Works by
/// LibTorch's operators on any device. Throws Error for a number of elements that is no multiple of
/// 64 * 256, another type, or a weight that is not finite. Of a weight on device "meta" only shapes
/// are made.
Nf4Tensor quantise_nf4(const torch::Tensor& weight);

/// The dequantised weight, in its type and shape: scale = scaler / factor + mean, element =
/// codebook[code] * scale. One pass on LibTorch's threads, independent of their number; or one
/// kernel on a GPU.
torch::Tensor dequantise(const Nf4Tensor& quantised);
/// The same by LibTorch's operators, one by one, in the order of torchao.
torch::Tensor dequantise_by_operators(const Nf4Tensor& quantised);

/// Largest magnitude of each block of 64 [elements / 64].
torch::Tensor nf4_block_maxima(const torch::Tensor& weight);
/// The scales as dequantise() uses them [elements / 64].
torch::Tensor dequantise_scales(const Nf4Tensor& quantised);
/// One code per element: uint8 [elements], 0 .. 15.
torch::Tensor nf4_codes(const Nf4Tensor& quantised);

/// y = x W^T [..., out] for x [..., in]. W is dequantised for the product, and again for the
/// gradient of x; it is never kept. x has the type of W. Fused: by dequantise(), else by
/// dequantise_by_operators().
torch::Tensor nf4_linear(const torch::Tensor& x, const Nf4Tensor& quantised, bool fused = true);

}  // namespace scalemark::llm
