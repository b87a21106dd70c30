// SPDX-License-Identifier: Apache-2.0
// Forward, backward, reduction and update.
#include "suites/llm/finetuner.hpp"

#include <algorithm>
#include <utility>

#include <torch/utils.h>

#include "suites/llm/gradient_norm.hpp"
#include "suites/llm/schedule.hpp"

namespace scalemark::llm {

Finetuner::Finetuner(Llama model, const FinetunerOptions& options,
                     torch_support::ProcessGroupPtr group, std::unique_ptr<Objective> objective)
    : model_(std::move(model)),
      options_(options),
      objective_(objective ? std::move(objective)
                           : std::make_unique<LanguageModelling>(/*fused=*/false)),
      parameters_(trainable_parameters(*model_)),
      optimiser_(parameters_, options.adamw) {
  if (!group) return;
  ranks_ = group->getSize();
  // Buffers hold quantised weights: no step changes them.
  ddp_.emplace(model_.ptr(), std::move(group),
               torch_support::DdpOptions{.broadcast_buffers = false});
}

double Finetuner::learning_rate() const {
  const double most = options_.adamw.learning_rate;
  if (options_.total_steps == 0) return most;
  return most * cosine_with_warmup(steps_, options_.warmup_steps, options_.total_steps);
}

StepResult Finetuner::step(std::span<const Examples> micro_batches, std::int64_t all_counted) {
  // DDP leaves the mean over the ranks; what is wanted is the sum over all that counts.
  const double share =
      static_cast<double>(ranks_) / static_cast<double>(std::max<std::int64_t>(all_counted, 1));
  torch::Tensor sums;  // the loss, then what is observed
  for (std::size_t i = 0; i < micro_batches.size(); ++i) {
    const bool last = i + 1 == micro_batches.size();
    // Buckets are reduced with the last micro-batch's gradients only.
    if (ddp_ && last) ddp_->before_forward();
    const Objective::Sums now = objective_->sums(model_, micro_batches[i]);
    if (ddp_ && last) ddp_->before_backward();
    (now.loss * share).backward();
    const torch::Tensor loss = now.loss.detach().to(torch::kDouble).view({1});
    const torch::Tensor all = now.observed.defined() ? torch::cat({loss, now.observed}) : loss;
    sums = sums.defined() ? sums + all : all;
  }
  StepResult result;
  if (ddp_) result.exposed_communication = ddp_->exposed_communication();
  const torch::Tensor norm = gradient_norm(parameters_);
  if (options_.clip > 0) clip_gradients(parameters_, norm, options_.clip);
  optimiser_.set_learning_rate(learning_rate());
  optimiser_.step();
  if (ddp_)
    ddp_->zero_gradients();
  else
    optimiser_.zero_grad();
  ++steps_;
  const torch::Tensor host = torch::cat({norm.to(torch::kDouble).view({1}), sums}).cpu();
  const auto* const values = host.const_data_ptr<double>();
  result.gradient_norm = values[0];
  result.loss = values[1];
  result.observed.assign(values + 2, values + host.numel());
  return result;
}

}  // namespace scalemark::llm
