// SPDX-License-Identifier: Apache-2.0
// Random data for one layer, and correctness checks of a layer with fresh LoRA adapters.
#pragma once

#include <cstdint>

#include "common/core/case.hpp"
#include "suites/llm/model/llama.hpp"
#include "suites/llm/train/layer_step.hpp"

namespace scalemark::llm {

/// Standard normal hidden states and the targets of the layer, [batch, sequence, dim].
struct LayerData {
  torch::Tensor x, target;
  Positions positions;
};
/// `x` requires a gradient, as inside a model; without it part of the backward pass would be
/// skipped.
LayerData random_layer_data(const LlamaConfig& config, std::int64_t batch, std::int64_t sequence,
                            const torch::TensorOptions& options);

inline constexpr const char* kLoraRule =
    "with B = 0: output equals the base layer exactly, A's gradient is zero, B's gradient predicts "
    "the change of the loss within 1 % (fp32, fp64); with checkpointing the gradients are those "
    "without within 0.1 % in norm (bf16: 1.6 %); three AdamW steps lower the loss";

/// Checks kLoraRule on the mean squared distance between layer(x) and target. First sets every
/// lora_b to zero; afterwards the adapters have been trained for three steps. On deterministic
/// devices gradients with checkpointing are equal bit for bit. Attention on GPUs adds gradients in
/// no fixed order and rounds, so one or two roundings are allowed there.
Case::Checked check_lora_layer(DecoderLayer& layer, const LayerData& data,
                               const LayerStepOptions& options = {});

}  // namespace scalemark::llm
