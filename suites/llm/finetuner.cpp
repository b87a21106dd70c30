// SPDX-License-Identifier: Apache-2.0
// Forward, backward, reduction and update.
#include "suites/llm/finetuner.hpp"

#include <algorithm>
#include <utility>

#include <torch/utils.h>

#include "suites/llm/fused_loss.hpp"
#include "suites/llm/loss.hpp"
#include "suites/llm/schedule.hpp"

namespace scalemark::llm {
namespace {

constexpr std::int64_t kChunks = 8;  // of torchtune's chunked cross-entropy

torch::Tensor norm_of(const std::vector<torch::Tensor>& parameters) {
  std::vector<torch::Tensor> gradients;
  gradients.reserve(parameters.size());
  for (const torch::Tensor& parameter : parameters) gradients.push_back(parameter.grad());
  return torch::stack(at::_foreach_norm(gradients)).norm();
}

}  // namespace

Finetuner::Finetuner(Llama model, const FinetunerOptions& options,
                     torch_support::ProcessGroupPtr group)
    : model_(std::move(model)),
      options_(options),
      parameters_(trainable_parameters(*model_)),
      optimiser_(parameters_, options.adamw) {
  if (!group) return;
  ranks_ = group->getSize();
  ddp_.emplace(model_.ptr(), std::move(group), torch_support::DdpOptions{});
}

torch::Tensor Finetuner::loss_sum_of(const Examples& examples) {
  const Positions positions = examples.sequences.empty()
                                  ? model_->positions(examples.tokens_bs.size(1))
                                  : model_->packed_positions(examples.sequences);
  const torch::Tensor hidden = model_->hidden_at(examples.tokens_bs, positions);
  if (options_.fused_loss)
    return fused_loss_sum(hidden, model_->head()->weight, examples.shifted_bs);
  Linear head = model_->head();
  return llm::loss_sum(head(hidden), examples.shifted_bs, kChunks);
}

double Finetuner::learning_rate() const {
  const double most = options_.adamw.learning_rate;
  if (options_.total_steps == 0) return most;
  return most * cosine_with_warmup(steps_, options_.warmup_steps, options_.total_steps);
}

StepResult Finetuner::step(std::span<const Examples> micro_batches, std::int64_t all_labels) {
  // DDP leaves the mean over the ranks; what is wanted is the sum over all labels.
  const double share =
      static_cast<double>(ranks_) / static_cast<double>(std::max<std::int64_t>(all_labels, 1));
  torch::Tensor loss;
  for (std::size_t i = 0; i < micro_batches.size(); ++i) {
    const bool last = i + 1 == micro_batches.size();
    // Buckets are reduced with the last micro-batch's gradients only.
    if (ddp_ && last) ddp_->before_forward();
    const torch::Tensor sum = loss_sum_of(micro_batches[i]);
    if (ddp_ && last) ddp_->before_backward();
    (sum * share).backward();
    loss = loss.defined() ? loss + sum.detach() : sum.detach();
  }
  StepResult result;
  if (ddp_) result.exposed_communication = ddp_->exposed_communication();
  const torch::Tensor norm = norm_of(parameters_);
  optimiser_.set_learning_rate(learning_rate());
  optimiser_.step();
  if (ddp_)
    ddp_->zero_gradients();
  else
    optimiser_.zero_grad();
  ++steps_;
  const torch::Tensor both = torch::stack({loss.to(torch::kDouble), norm.to(torch::kDouble)}).cpu();
  result.loss = both[0].item<double>();
  result.gradient_norm = both[1].item<double>();
  return result;
}

}  // namespace scalemark::llm
