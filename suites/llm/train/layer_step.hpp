// SPDX-License-Identifier: Apache-2.0
// The parts of a training step of one layer with LoRA, in the variants of micro/lora_step.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "suites/llm/model/llama.hpp"
#include "suites/llm/optim/adamw.hpp"

namespace torch::optim {
class AdamW;
}

namespace scalemark::llm {

struct LayerStepOptions {
  bool checkpointing = false;   ///< the backward pass recomputes the layer (checkpoint.hpp)
  bool fused_optimizer = true;  ///< one AdamW kernel (adamw.hpp); else LibTorch's
};

/// layer(x), with activation checkpointing if the options enable it.
torch::Tensor layer_output(const DecoderLayer& layer, const torch::Tensor& x,
                           const Positions& positions, const LayerStepOptions& options);

/// AdamW over the trainable parameters of a layer, by one fused kernel or by torch::optim::AdamW,
/// which makes about ten launches for each parameter. Both compute the same update.
class LayerOptimizer {
 public:
  LayerOptimizer(const DecoderLayer& layer, const AdamWOptions& adamw,
                 const LayerStepOptions& options);
  ~LayerOptimizer();
  LayerOptimizer(const LayerOptimizer&) = delete;
  LayerOptimizer& operator=(const LayerOptimizer&) = delete;

  void step();
  /// Drops the gradients.
  void zero_grad();

 private:
  std::optional<AdamW> fused_;
  std::unique_ptr<torch::optim::AdamW> plain_;
};

/// FLOPs that a device executes for the model FLOPs of lora_layer_flops(). Checkpointing runs the
/// forward pass twice: tokens (2 N_linear + 2 N_lora + 4 dim S) more.
double lora_layer_hardware_flops(const LlamaConfig& config, const LoraConfig& lora,
                                 std::int64_t batch, std::int64_t sequence, bool checkpointing);

}  // namespace scalemark::llm
