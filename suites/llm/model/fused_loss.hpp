// SPDX-License-Identifier: Apache-2.0
// Fused output head and cross-entropy: the logits of all tokens are never in memory together.
#pragma once

#include <cstdint>

#include <torch/types.h>

#include "suites/llm/model/loss.hpp"

namespace scalemark::llm {

/// Sum of the cross-entropies of hidden @ weight^T against the unmasked labels; only
/// unmasked_indices() are computed. Both gradients are computed chunk by chunk in the forward pass,
/// which holds at most `rows` rows of logits, in at least fp32. 0, with zero gradients, if every
/// label is masked.
///   hidden_bsd [b, s, d]; weight_vd [v, d]; shifted_bs as of shift_labels().
torch::Tensor fused_loss_sum(const torch::Tensor& hidden_bsd, const torch::Tensor& weight_vd,
                             const torch::Tensor& shifted_bs, std::int64_t rows = kLossRows);

}  // namespace scalemark::llm
