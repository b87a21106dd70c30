// SPDX-License-Identifier: Apache-2.0
// The objectives: language modelling and preferences.
#include "suites/llm/train/objective.hpp"

#include <optional>

#include <torch/utils.h>

#include "common/base/error.hpp"
#include "suites/llm/model/fused_loss.hpp"
#include "suites/llm/model/loss.hpp"

namespace scalemark::llm {
Objective::Terms LanguageModelling::terms() const { return {"cross-entropy", "labels", {}}; }

Objective::Sums LanguageModelling::sums(Llama& model, const Examples& examples) {
  const Positions positions = examples.packing.defined()
                                  ? model->packed_positions(examples.packing)
                                  : model->positions(examples.tokens_bs.size(1));
  const torch::Tensor hidden = model->hidden_at(examples.tokens_bs, positions);
  Linear head = model->head();
  const std::optional<Operands> operands = fused_ ? head->operands(hidden) : std::nullopt;
  if (operands) return {fused_loss_sum(operands->x, operands->weight, examples.shifted_bs), {}};
  std::vector<torch::Tensor> logits = hidden.chunk(kLossChunks, 1);
  for (torch::Tensor& part : logits) part = head(part);
  return {loss_sum(logits, examples.shifted_bs), {}};
}

Objective::Terms Preference::terms() const {
  return {"preference loss", "pairs", {"chosen_reward", "rejected_reward", "margin", "accuracy"}};
}

Objective::Sums Preference::sums(Llama& model, const Examples& examples) {
  if (examples.pairs == 0 || examples.packing.defined())
    throw Error("preferences are learnt from padded pairs of answers");
  const DpoBatch batch{examples.tokens_bs, examples.shifted_bs};
  LogProbabilities reference;
  if (reference_) {
    const torch::NoGradGuard no_grad;
    reference = dpo_log_probabilities(reference_, batch, fused_);
  } else {
    reference = dpo_reference(model, batch, fused_);
  }
  const DpoLoss loss = dpo_loss(dpo_log_probabilities(model, batch, fused_), reference, options_);
  const torch::Tensor chosen = loss.chosen_rewards, rejected = loss.rejected_rewards;
  const torch::Tensor observed =
      torch::stack({chosen, rejected, chosen - rejected, (chosen > rejected).to(chosen.dtype())});
  return {loss.losses.sum(), observed.to(torch::kDouble).sum(1)};
}

}  // namespace scalemark::llm
