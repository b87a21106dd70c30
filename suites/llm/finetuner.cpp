// SPDX-License-Identifier: Apache-2.0
// Forward, backward, reduction and update.
#include "suites/llm/finetuner.hpp"

#include <algorithm>
#include <utility>

#include <torch/utils.h>

#include "suites/llm/gradient_norm.hpp"
#include "suites/llm/schedule.hpp"

namespace scalemark::llm {

Finetuner::Finetuner(Llama model, const FinetunerOptions& options, Parallelism& parallelism,
                     std::unique_ptr<Objective> objective)
    : model_(std::move(model)),
      options_(options),
      parallelism_(parallelism),
      objective_(objective ? std::move(objective)
                           : std::make_unique<LanguageModelling>(/*fused=*/false)),
      optimiser_(parallelism.parameters(), options.adamw) {}

double Finetuner::learning_rate() const {
  const double most = options_.adamw.learning_rate;
  if (options_.total_steps == 0) return most;
  return most * cosine_with_warmup(steps_, options_.warmup_steps, options_.total_steps);
}

StepResult Finetuner::step(std::span<const Examples> micro_batches, std::int64_t all_counted) {
  const double share =
      parallelism_.loss_factor() / static_cast<double>(std::max<std::int64_t>(all_counted, 1));
  torch::Tensor sums;  // the loss, then what is observed
  for (std::size_t i = 0; i < micro_batches.size(); ++i) {
    const bool last = i + 1 == micro_batches.size();
    parallelism_.before_forward(last);
    const Objective::Sums now = objective_->sums(model_, micro_batches[i]);
    parallelism_.before_backward(last);
    (now.loss * share).backward();
    parallelism_.after_backward();
    const torch::Tensor loss = now.loss.detach().to(torch::kDouble).view({1});
    const torch::Tensor all = now.observed.defined() ? torch::cat({loss, now.observed}) : loss;
    sums = sums.defined() ? sums + all : all;
  }
  StepResult result;
  result.communication = parallelism_.take_communication();
  const torch::Tensor norm = parallelism_.gradient_norm();
  if (options_.clip > 0) clip_gradients(parallelism_.parameters(), norm, options_.clip);
  optimiser_.set_learning_rate(learning_rate());
  optimiser_.step();
  parallelism_.zero_gradients();
  ++steps_;
  const torch::Tensor host = torch::cat({norm.to(sums.options()).view({1}), sums}).cpu();
  const auto* const values = host.const_data_ptr<double>();
  result.gradient_norm = values[0];
  result.loss = values[1];
  result.observed.assign(values + 2, values + host.numel());
  return result;
}

}  // namespace scalemark::llm
