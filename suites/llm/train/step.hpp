// SPDX-License-Identifier: Apache-2.0
// One optimiser step of fine-tuning.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "suites/llm/model/llama.hpp"
#include "suites/llm/optim/adamw.hpp"
#include "suites/llm/train/graphed_steps.hpp"
#include "suites/llm/train/objective.hpp"
#include "suites/llm/train/parallelism.hpp"
#include "suites/llm/train/token_loader.hpp"

namespace scalemark::llm {

struct FinetunerOptions {
  AdamWOptions adamw;
  std::int64_t warmup_steps = 100, total_steps = 0;  ///< of the schedule; 0 = constant rate
  double clip = 0;  ///< largest norm of gradients that is not clipped; 0 = no clipping
  /// The sum over the labels is differentiated, and all gradients are multiplied afterwards, as in
  /// torchtune's recipes. False: the mean is differentiated.
  bool scale_gradients = false;
};

struct StepResult {
  double loss = 0;               ///< sum over what the objective counts on this rank
  std::vector<double> observed;  ///< likewise, of its terms().observed
  double gradient_norm = 0;      ///< l2, of the mean gradient over all ranks, before clipping
  Communication communication;
};

/// Trains the trainable parameters of `model`, on one rank or on several.
class Finetuner {
 public:
  /// `parallelism` already has the model, and outlives this object. Without an objective: language
  /// modelling, not fused.
  Finetuner(Llama model, const FinetunerOptions& options, Parallelism& parallelism,
            std::unique_ptr<Objective> objective = {});

  /// From now on passes and updates are recorded as CUDA graphs. Throws Error if gradients_stay()
  /// of the parallelism is false.
  void record(GraphedSteps::MakeGraph make_graph);

  /// Collective over the ranks of `parallelism`. Gradients of all micro-batches are added; the loss
  /// is the mean over what the objective counts on all ranks, `all_counted`; with none the step
  /// changes nothing but the optimiser's count. On a GPU the work is queued, and the host goes on.
  void begin(std::span<const Examples> micro_batches, std::int64_t all_counted);
  /// Ends when the loss of the step that was begun is on the host.
  StepResult finish();
  /// Both.
  StepResult step(std::span<const Examples> micro_batches, std::int64_t all_counted) {
    begin(micro_batches, all_counted);
    return finish();
  }

  const Llama& model() const { return model_; }
  const Objective& objective() const { return *objective_; }
  /// What this rank's optimiser updates: see Parallelism.
  const std::vector<torch::Tensor>& parameters() const { return parallelism_.parameters(); }
  const AdamW& optimiser() const { return optimiser_; }
  /// Graphs recorded so far.
  std::int64_t graphs() const { return graphs_ ? graphs_->graphs() : 0; }
  /// Done so far: the schedule's place. Set when a training goes on.
  std::int64_t steps() const { return steps_; }
  void set_steps(std::int64_t steps) { steps_ = steps; }

 private:
  double learning_rate() const;
  /// Forward and backward pass; adds to sums_ and to the gradients.
  void pass(const Examples& examples, bool last);
  /// Norm, clipping, optimiser; gradients are zero or gone behind it.
  void update();

  Llama model_;
  FinetunerOptions options_;
  Parallelism& parallelism_;
  std::unique_ptr<Objective> objective_;
  AdamW optimiser_;
  std::optional<GraphedSteps> graphs_;
  torch::Tensor share_;  ///< what a loss is multiplied with, on the device
  torch::Tensor sums_;   ///< of a step, on the device: the loss, what is observed, the norm
  Communication communication_;
  std::int64_t steps_ = 0;
};

}  // namespace scalemark::llm
