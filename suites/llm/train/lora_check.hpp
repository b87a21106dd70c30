// SPDX-License-Identifier: Apache-2.0
// Random data for one layer, and what must hold for a layer with fresh LoRA adapters on it.
#pragma once

#include <cstdint>

#include "common/core/case.hpp"
#include "suites/llm/model/llama.hpp"
#include "suites/llm/train/layer_step.hpp"

namespace scalemark::llm {

/// Standard normal hidden states and what the layer shall make of them, [batch, sequence, dim].
struct LayerData {
  torch::Tensor x, target;
  Positions positions;
};
/// `x` wants a gradient, as inside a model, where a layer hands one on: without it part of the
/// backward pass would be left out.
LayerData random_layer_data(const LlamaConfig& config, std::int64_t batch, std::int64_t sequence,
                            const torch::TensorOptions& options);

inline constexpr const char* kLoraRule =
    "with B = 0: output equals the base layer exactly, A's gradient is zero, B's gradient predicts "
    "the change of the loss within 1 % (fp32, fp64); with checkpointing the gradients are those "
    "without within 0.1 % in norm (bf16: 1.6 %); three AdamW steps lower the loss";

/// Checks kLoraRule on the mean squared distance between layer(x) and target. Sets every lora_b to
/// zero first and leaves the adapters trained by three steps. Where nothing runs in an order of its
/// own, gradients with checkpointing are the same bit for bit; attention on GPUs adds its own up in
/// no fixed order, and what follows rounds to its type, so a rounding or two are allowed there.
Case::Checked check_lora_layer(DecoderLayer& layer, const LayerData& data,
                               const LayerStepOptions& options = {});

}  // namespace scalemark::llm
