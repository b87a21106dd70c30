// SPDX-License-Identifier: Apache-2.0
// CUDA kernels that replace several LibTorch kernels, each of which would pass through memory. They
// are queued on the current stream. In a build without CUDA they throw Unavailable.
#pragma once

#include <torch/types.h>

#include "suites/llm/quant/fake_quant.hpp"
#include "suites/llm/quant/nf4.hpp"

namespace scalemark::llm::device_kernels {

/// silu(gate) * up, rounded once to their type; fp64, fp32, bf16.
torch::Tensor swiglu(const torch::Tensor& gate, const torch::Tensor& up);
struct SwigluGradients {
  torch::Tensor gate, up;
};
SwigluGradients swiglu_gradients(const torch::Tensor& dy, const torch::Tensor& gate,
                                 const torch::Tensor& up);

/// x_bshe rotated as by rotate(), or back.
torch::Tensor rotate(const torch::Tensor& x_bshe, const torch::Tensor& rotation, bool back);

/// The weight of NF4 codes, bit for bit that of dequantise() on a CPU.
torch::Tensor dequantise(const Nf4Tensor& quantised);

/// Bit for bit those on a CPU; `floor` is the least scale.
torch::Tensor fake_quantise_weight(const torch::Tensor& weight, std::int64_t group, float floor);
torch::Tensor fake_quantise_tokens(const torch::Tensor& x);
/// In place: the gradient is zero where the code was clipped.
void mask_weight_gradient(torch::Tensor& gradient, const torch::Tensor& weight, std::int64_t group,
                          float floor);
void mask_token_gradient(torch::Tensor& gradient, const torch::Tensor& x);

}  // namespace scalemark::llm::device_kernels
