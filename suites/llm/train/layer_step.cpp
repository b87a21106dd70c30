// SPDX-License-Identifier: Apache-2.0
// The parts of a training step of one layer with LoRA.
#include "suites/llm/train/layer_step.hpp"

#include <tuple>
#include <vector>

#include <torch/optim/adamw.h>

#include "suites/llm/model/checkpoint.hpp"

namespace scalemark::llm {

torch::Tensor layer_output(const DecoderLayer& layer, const torch::Tensor& x,
                           const Positions& positions, const LayerStepOptions& options) {
  // Calling a module's holder is not const.
  const auto run = [layer, positions](const torch::Tensor& input) {
    return layer.ptr()->forward(input, positions);
  };
  return options.checkpointing ? checkpointed(run, x) : run(x);
}

LayerOptimizer::LayerOptimizer(const DecoderLayer& layer, const AdamWOptions& adamw,
                               const LayerStepOptions& options) {
  const std::vector<torch::Tensor> parameters = trainable_parameters(*layer);
  if (options.fused_optimizer) {
    fused_.emplace(parameters, adamw);
    return;
  }
  plain_ = std::make_unique<torch::optim::AdamW>(parameters,
                                                 torch::optim::AdamWOptions(adamw.learning_rate)
                                                     .betas(std::tuple(adamw.beta1, adamw.beta2))
                                                     .eps(adamw.eps)
                                                     .weight_decay(adamw.weight_decay));
}

LayerOptimizer::~LayerOptimizer() = default;

void LayerOptimizer::step() {
  if (fused_) {
    fused_->step();
  } else {
    plain_->step();
  }
}

void LayerOptimizer::zero_grad() {
  if (fused_) {
    fused_->zero_grad();
  } else {
    plain_->zero_grad();
  }
}

double lora_layer_hardware_flops(const LlamaConfig& config, const LoraConfig& lora,
                                 std::int64_t batch, std::int64_t sequence, bool checkpointing) {
  const double model = lora_layer_flops(config, lora, batch, sequence);
  if (!checkpointing) return model;
  const auto linear = static_cast<double>(count_parameters(config).layer_linear);
  const auto adapters = static_cast<double>(count_lora_parameters(config, lora));
  const auto attention = static_cast<double>(config.dim * sequence);
  return model +
         static_cast<double>(batch * sequence) * (2 * linear + 2 * adapters + 4 * attention);
}

}  // namespace scalemark::llm
