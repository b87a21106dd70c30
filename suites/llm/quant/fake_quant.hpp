// SPDX-License-Identifier: Apache-2.0
// Fake quantisation for quantisation-aware training: values are quantised and dequantised at once,
// gradients pass straight through (Bengio et al. 2013). int8 per token, asymmetric, for
// activations; int4 per group of consecutive inputs, symmetric, for weights, as torchao's 8da4w
// quantiser.
//
//   weights:     scale = max(max |w| / 7.5, floor), code = clip(round(w * (1 / scale)), -8, 7)
//   activations: scale = max((max(x, 0) - min(x, 0)) / 255, 2^-23),
//                zero_point = clip(-128 - round(min(x, 0) / scale), -128, 127),
//                code = clip(round(x * (1 / scale)) + zero_point, -128, 127)
//   value = (code - zero_point) * scale
//
// Scales and zero points are computed in the type of the tensor, codes and values in fp32; rounding
// is to even. The gradient is zero where the code was clipped.
#pragma once

#include <cstdint>

#include <torch/types.h>

namespace scalemark::llm {

struct FakeQuantOptions {
  std::int64_t group = 256;  ///< weights that share a scale; divides in_features
  /// False: gradients also pass where codes were clipped (torchao 0.9 to 0.11).
  bool clip_gradient = true;
  /// False: the floor of a weight's scale is fp32's epsilon (torchao 0.9, 0.10), not that of its
  /// type; this differs in bf16, whose epsilon 2^-7 is above many scales.
  bool floor_of_type = true;
};

/// The fake-quantised weight [out, in], in its type. On CPUs one pass on LibTorch's threads. This
/// and fake_quantise_tokens() throw Error for types other than fp32 and bf16; this one also for a
/// width that is not a multiple of the group.
torch::Tensor fake_quantise_weight(const torch::Tensor& weight, const FakeQuantOptions& options);
/// Fake-quantised activations [..., in], each row by itself.
torch::Tensor fake_quantise_tokens(const torch::Tensor& x);

/// Fake-quantised values with their codes and scales, by LibTorch's operators on any device: one by
/// one, in the order of torchao 0.7 (codes go through int32).
struct FakeQuantised {
  torch::Tensor values;       ///< as the input
  torch::Tensor codes;        ///< clipped, fp32
  torch::Tensor scales;       ///< fp32, one a group [out, in / group] or token [..., 1]
  torch::Tensor zero_points;  ///< fp32, one a token; undefined for weights
  torch::Tensor inside;       ///< boolean: the code was not clipped
};
FakeQuantised examine_weight(const torch::Tensor& weight, const FakeQuantOptions& options);
FakeQuantised examine_tokens(const torch::Tensor& x);

/// y = x_q w_q^T [..., out] for x [..., in], both fake-quantised. Only x and the weight are kept
/// for backward; quantised values are recomputed.
torch::Tensor fake_quant_linear(const torch::Tensor& x, const torch::Tensor& weight,
                                const FakeQuantOptions& options);

/// The same by examine_tokens() and examine_weight(), and torch::linear over them. As torchao 0.7
/// it keeps the quantised x and weight for backward, and which of their codes were clipped.
torch::Tensor fake_quant_linear_by_operators(const torch::Tensor& x, const torch::Tensor& weight,
                                             const FakeQuantOptions& options);

/// The two factors of fake_quant_linear(), with its gradients, for code that computes the product
/// in chunks. Keeps x and the weight for backward, and those only if clipped codes have no
/// gradient.
torch::Tensor straight_through_tokens(const torch::Tensor& x, const FakeQuantOptions& options);
torch::Tensor straight_through_weight(const torch::Tensor& weight, const FakeQuantOptions& options);

}  // namespace scalemark::llm
