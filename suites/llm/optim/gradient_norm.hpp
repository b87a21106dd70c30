// SPDX-License-Identifier: Apache-2.0
// Norm of all gradients, and gradient clipping.
#pragma once

#include <vector>

#include <torch/types.h>

namespace scalemark::llm {

/// l2 norm over the gradients of all `parameters`, a scalar on their device; each has a gradient.
torch::Tensor gradient_norm(const std::vector<torch::Tensor>& parameters);

/// Scales the gradients, whose norm is `norm`, to a norm of at most `most`: g *= min(1, most /
/// (norm + 1e-6)), as torch.nn.utils.clip_grad_norm_. The host does not wait.
void clip_gradients(const std::vector<torch::Tensor>& parameters, const torch::Tensor& norm,
                    double most);

}  // namespace scalemark::llm
