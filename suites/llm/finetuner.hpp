// SPDX-License-Identifier: Apache-2.0
// One optimiser step of fine-tuning.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/torch/ddp.hpp"
#include "common/torch/process_group.hpp"
#include "suites/llm/adamw.hpp"
#include "suites/llm/llama.hpp"
#include "suites/llm/token_loader.hpp"

namespace scalemark::llm {

struct FinetunerOptions {
  AdamWOptions adamw;
  std::int64_t warmup_steps = 100, total_steps = 0;  ///< of the schedule; 0 = constant rate
  /// paper: logits of all tokens, cross-entropy in 8 chunks, as torchtune; else fused_loss_sum().
  bool fused_loss = false;
};

struct StepResult {
  double loss = 0;           ///< sum over this rank's labels
  double gradient_norm = 0;  ///< l2, of the mean gradient over all labels of all ranks
  std::uint64_t exposed_communication = 0;  ///< ns; see Ddp
};

/// Trains the parameters of `model` that want gradients. With a process group gradients are reduced
/// over its ranks by LibTorch's DDP.
class Finetuner {
 public:
  Finetuner(Llama model, const FinetunerOptions& options, torch_support::ProcessGroupPtr group);

  /// Collective with a group. Gradients of all micro-batches are added; the loss is the mean over
  /// the labels of all ranks, whose number is `all_labels`; with none the step changes nothing but
  /// the optimiser's count. Ends when the loss is on the host.
  StepResult step(std::span<const Examples> micro_batches, std::int64_t all_labels);

  const Llama& model() const { return model_; }
  const std::vector<torch::Tensor>& parameters() const { return parameters_; }

 private:
  torch::Tensor loss_sum_of(const Examples& examples);
  double learning_rate() const;

  Llama model_;
  FinetunerOptions options_;
  std::vector<torch::Tensor> parameters_;
  AdamW optimiser_;
  std::optional<torch_support::Ddp> ddp_;
  int ranks_ = 1;
  std::int64_t steps_ = 0;
};

}  // namespace scalemark::llm
