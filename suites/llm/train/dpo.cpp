// SPDX-License-Identifier: Apache-2.0
// Direct preference optimisation.
#include "suites/llm/train/dpo.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <torch/utils.h>

#include "common/base/error.hpp"
#include "suites/llm/model/fused_log_probability.hpp"
#include "suites/llm/model/loss.hpp"

namespace scalemark::llm {
namespace {

torch::Tensor padded(const torch::Tensor& rows_bs, std::int64_t width, std::int64_t value) {
  return torch::constant_pad_nd(rows_bs, {0, width - rows_bs.size(1)}, value);
}

}  // namespace

double DpoLoss::accuracy() const {
  return (chosen_rewards > rejected_rewards).to(torch::kFloat64).mean().item<double>();
}

double DpoLoss::margin() const { return (chosen_rewards - rejected_rewards).mean().item<double>(); }

DpoLoss dpo_loss(const LogProbabilities& policy, const LogProbabilities& reference,
                 const DpoOptions& options) {
  const torch::Tensor h =
      (policy.chosen - policy.rejected) - (reference.chosen - reference.rejected);
  const torch::Tensor right = torch::log_sigmoid(options.beta * h),
                      wrong = torch::log_sigmoid(-options.beta * h);
  return {.losses = -right * (1 - options.label_smoothing) - wrong * options.label_smoothing,
          .chosen_rewards = options.beta * (policy.chosen - reference.chosen).detach(),
          .rejected_rewards = options.beta * (policy.rejected - reference.rejected).detach()};
}

DpoBatch make_dpo_batch(const torch::Tensor& chosen_bs, const torch::Tensor& chosen_labels_bs,
                        const torch::Tensor& rejected_bs, const torch::Tensor& rejected_labels_bs,
                        std::int64_t padding_id) {
  if (chosen_bs.size(0) != rejected_bs.size(0)) {
    throw Error(fmt::format("{} chosen and {} rejected answers make no pairs", chosen_bs.size(0),
                            rejected_bs.size(0)));
  }
  const std::int64_t width = std::max(chosen_bs.size(1), rejected_bs.size(1));
  const torch::Tensor labels = torch::cat(
      {padded(chosen_labels_bs, width, kMasked), padded(rejected_labels_bs, width, kMasked)});
  return {.tokens_bs = torch::cat(
              {padded(chosen_bs, width, padding_id), padded(rejected_bs, width, padding_id)}),
          .shifted_bs = shift_labels(labels)};
}

LogProbabilities dpo_log_probabilities(Llama& model, const DpoBatch& batch, bool fused) {
  const torch::Tensor hidden =
      model->hidden_at(batch.tokens_bs, model->positions(batch.tokens_bs.size(1)));
  Linear head = model->head();
  const std::optional<Operands> operands = fused ? head->operands(hidden) : std::nullopt;
  const torch::Tensor sums =
      operands ? fused_log_probability(operands->x, operands->weight, batch.shifted_bs)
               : sequence_log_probability(head(hidden), batch.shifted_bs);
  const std::int64_t pairs = sums.size(0) / 2;
  return {sums.narrow(0, 0, pairs), sums.narrow(0, pairs, pairs)};
}

LogProbabilities dpo_reference(Llama& model, const DpoBatch& batch, bool fused) {
  const torch::NoGradGuard no_grad;
  const LoraOff adapters_off(*model);
  return dpo_log_probabilities(model, batch, fused);
}

Llama frozen_copy(const Llama& model) {
  Llama copy(model->config(), model->options(), PartMade(), Initial::unset);
  const std::vector<torch::Tensor> from = model->parameters(), to = copy->parameters();
  if (from.size() != to.size()) throw Error("only a plain model has a frozen copy");
  const torch::NoGradGuard no_grad;
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i].copy_(from[i]);
    to[i].set_requires_grad(false);
  }
  return copy;
}

}  // namespace scalemark::llm
