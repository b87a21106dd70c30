// SPDX-License-Identifier: Apache-2.0
// One optimiser step: forward, backward, reduction and update.
#include "suites/llm/train/step.hpp"

#include <algorithm>
#include <utility>

#include <torch/utils.h>

#include "common/base/error.hpp"
#include "suites/llm/optim/gradient_norm.hpp"
#include "suites/llm/optim/schedule.hpp"

namespace scalemark::llm {

Finetuner::Finetuner(Llama model, const FinetunerOptions& options, Parallelism& parallelism,
                     std::unique_ptr<Objective> objective)
    : model_(std::move(model)),
      options_(options),
      parallelism_(parallelism),
      objective_(objective ? std::move(objective)
                           : std::make_unique<LanguageModelling>(/*fused=*/false)),
      optimiser_(parallelism.parameters(), options.adamw) {
  const auto numbers =
      torch::TensorOptions().dtype(torch::kDouble).device(model_->options().device());
  const auto observed = static_cast<std::int64_t>(objective_->terms().observed.size());
  share_ = torch::ones({}, numbers);
  sums_ = torch::zeros({observed + 2}, numbers);
}

double Finetuner::learning_rate() const {
  const double most = options_.adamw.learning_rate;
  if (options_.total_steps == 0) return most;
  return most * cosine_with_warmup(steps_, options_.warmup_steps, options_.total_steps);
}

void Finetuner::record(GraphedSteps::MakeGraph make_graph) {
  if (!parallelism_.gradients_stay())
    throw Error("steps are recorded as graphs where gradients stay in their memory");
  optimiser_.keep_rate_on_device();
  graphs_.emplace(std::move(make_graph));
}

void Finetuner::pass(const Examples& examples, bool last) {
  const Objective::Sums now = objective_->sums(model_, examples);
  if (!graphs_) parallelism_.before_backward(last);
  (options_.scale_gradients ? now.loss : now.loss * share_).backward();
  const torch::NoGradGuard no_grad;
  sums_[0] += now.loss.detach();
  if (now.observed.defined()) sums_.slice(0, 1, -1) += now.observed;
}

void Finetuner::update() {
  if (options_.scale_gradients) {
    const torch::NoGradGuard no_grad;
    for (const torch::Tensor& parameter : parallelism_.parameters()) {
      if (parameter.grad().defined()) parameter.mutable_grad().mul_(share_);
    }
  }
  const torch::Tensor norm = parallelism_.gradient_norm();
  sums_[-1].copy_(norm);
  if (options_.clip > 0) clip_gradients(parallelism_.parameters(), norm, options_.clip);
  optimiser_.step();
  parallelism_.zero_gradients();
}

void Finetuner::begin(std::span<const Examples> micro_batches, std::int64_t all_counted) {
  share_.fill_(parallelism_.loss_factor() /
               static_cast<double>(std::max<std::int64_t>(all_counted, 1)));
  sums_.zero_();
  for (std::size_t i = 0; i < micro_batches.size(); ++i) {
    const bool last = i + 1 == micro_batches.size();
    parallelism_.before_forward(last);
    if (graphs_) {
      parallelism_.before_backward(last);
      graphs_->accumulate(micro_batches[i],
                          [this](const Examples& fixed) { pass(fixed, /*last=*/true); });
    } else {
      pass(micro_batches[i], last);
    }
    parallelism_.after_backward();
  }
  communication_ = parallelism_.take_communication();
  optimiser_.set_learning_rate(learning_rate());
  if (graphs_) {
    graphs_->update([this] { update(); });
  } else {
    update();
  }
  ++steps_;
}

StepResult Finetuner::finish() {
  StepResult result;
  result.communication = communication_;
  const torch::Tensor host = sums_.cpu();
  const auto* const values = host.const_data_ptr<double>();
  result.loss = values[0];
  result.observed.assign(values + 1, values + host.numel() - 1);
  result.gradient_norm = values[host.numel() - 1];
  return result;
}

}  // namespace scalemark::llm
