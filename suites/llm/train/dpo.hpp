// SPDX-License-Identifier: Apache-2.0
// Direct preference optimisation (Rafailov et al. 2023, equation 7; label smoothing as Mitchell
// 2023).
#pragma once

#include <cstdint>

#include <torch/types.h>

#include "suites/llm/model/llama.hpp"

namespace scalemark::llm {

struct DpoOptions {
  double beta = 0.1;
  double label_smoothing = 0;  ///< probability that a preference is reversed, 0 to 0.5
};

/// Sums of log-probabilities of the answers' tokens [pairs].
struct LogProbabilities {
  torch::Tensor chosen, rejected;
};

struct DpoLoss {
  torch::Tensor losses;                            ///< [pairs]; their mean is what is trained
  torch::Tensor chosen_rewards, rejected_rewards;  ///< [pairs], without gradient

  /// Share of pairs whose chosen answer has the strictly greater reward.
  double accuracy() const;
  /// Mean of chosen minus rejected reward.
  double margin() const;
};

/// With h = (policy chosen - rejected) - (reference chosen - rejected):
/// loss = -log sigmoid(beta h) (1 - s) - log sigmoid(-beta h) s, reward = beta (policy -
/// reference). No overflow, however large h is.
DpoLoss dpo_loss(const LogProbabilities& policy, const LogProbabilities& reference,
                 const DpoOptions& options);

/// Chosen rows, then rejected ones, right-padded to one width.
struct DpoBatch {
  torch::Tensor tokens_bs;   ///< [2 * pairs, s]
  torch::Tensor shifted_bs;  ///< labels as shift_labels() gives them
};
/// Labels are kMasked on prompts; padding is masked here. Throws Error for unequal numbers of rows.
DpoBatch make_dpo_batch(const torch::Tensor& chosen_bs, const torch::Tensor& chosen_labels_bs,
                        const torch::Tensor& rejected_bs, const torch::Tensor& rejected_labels_bs,
                        std::int64_t padding_id);

/// One forward of all rows. `fused`: fused_log_probability() instead of the logits of all tokens.
LogProbabilities dpo_log_probabilities(Llama& model, const DpoBatch& batch, bool fused = false);
/// The same without gradient and with adapters switched off: the reference of DPO with LoRA. For
/// full DPO pass a frozen_copy() to dpo_log_probabilities().
LogProbabilities dpo_reference(Llama& model, const DpoBatch& batch, bool fused = false);

/// A copy of the model with frozen weights. Throws Error for a model with adapters or replaced
/// weights.
Llama frozen_copy(const Llama& model);

}  // namespace scalemark::llm
