// SPDX-License-Identifier: Apache-2.0
// One optimiser step of fine-tuning.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "common/torch/ddp.hpp"
#include "common/torch/process_group.hpp"
#include "suites/llm/adamw.hpp"
#include "suites/llm/llama.hpp"
#include "suites/llm/objective.hpp"
#include "suites/llm/token_loader.hpp"

namespace scalemark::llm {

struct FinetunerOptions {
  AdamWOptions adamw;
  std::int64_t warmup_steps = 100, total_steps = 0;  ///< of the schedule; 0 = constant rate
  double clip = 0;  ///< largest norm of the gradients that is left as it is; 0 = any
};

struct StepResult {
  double loss = 0;               ///< sum over what the objective counts on this rank
  std::vector<double> observed;  ///< likewise, of its terms().observed
  double gradient_norm = 0;      ///< l2, of the mean gradient over all ranks, before clipping
  std::uint64_t exposed_communication = 0;  ///< ns; see Ddp
};

/// Trains the parameters of `model` that want gradients. With a process group gradients are reduced
/// over its ranks by LibTorch's DDP.
class Finetuner {
 public:
  /// Without an objective: language modelling, not fused.
  Finetuner(Llama model, const FinetunerOptions& options, torch_support::ProcessGroupPtr group,
            std::unique_ptr<Objective> objective = {});

  /// Collective with a group. Gradients of all micro-batches are added; the loss is the mean over
  /// what the objective counts on all ranks, `all_counted`; with none the step changes nothing but
  /// the optimiser's count. Ends when the loss is on the host.
  StepResult step(std::span<const Examples> micro_batches, std::int64_t all_counted);

  const Llama& model() const { return model_; }
  const Objective& objective() const { return *objective_; }
  const std::vector<torch::Tensor>& parameters() const { return parameters_; }

 private:
  double learning_rate() const;

  Llama model_;
  FinetunerOptions options_;
  std::unique_ptr<Objective> objective_;
  std::vector<torch::Tensor> parameters_;
  AdamW optimiser_;
  std::optional<torch_support::Ddp> ddp_;
  int ranks_ = 1;
  std::int64_t steps_ = 0;
};

}  // namespace scalemark::llm
