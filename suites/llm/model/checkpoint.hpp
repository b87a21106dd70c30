// SPDX-License-Identifier: Apache-2.0
// Activation checkpointing: trades computation for memory.
#pragma once

#include <functional>

#include <torch/types.h>

namespace scalemark::llm {

/// layer(x), which keeps only x for the backward pass and calls `layer` again there (Chen et al.
/// 2016, "Training Deep Nets with Sublinear Memory Cost"). `layer` must be deterministic, and pass
/// gradients to its own parameters. Everything it refers to must live until the backward pass.
torch::Tensor checkpointed(std::function<torch::Tensor(const torch::Tensor&)> layer,
                           const torch::Tensor& x);

}  // namespace scalemark::llm
