// SPDX-License-Identifier: Apache-2.0
// Activation checkpointing: memory for time.
#pragma once

#include <functional>

#include <torch/types.h>

namespace scalemark::llm {

/// layer(x), of which the backward pass knows only x: it calls `layer` once more (Chen et al. 2016,
/// "Training Deep Nets with Sublinear Memory Cost"). `layer` must give the same again, and give
/// gradients to the parameters that it holds; what it refers to must live until then.
torch::Tensor checkpointed(std::function<torch::Tensor(const torch::Tensor&)> layer,
                           const torch::Tensor& x);

}  // namespace scalemark::llm
