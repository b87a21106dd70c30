// SPDX-License-Identifier: Apache-2.0
// Fused output head and log-probabilities: the logits of all tokens are never in memory together.
#pragma once

#include <cstdint>

#include <torch/types.h>

#include "suites/llm/model/loss.hpp"

namespace scalemark::llm {

/// Log-probability of the unmasked labels of each row [b] under softmax(hidden @ weight^T). Tokens
/// without a label are skipped; at most `rows` rows of logits, in at least fp32, are held at a
/// time. With a frozen weight the gradients of hidden states are computed in the forward pass,
/// without a second pass. With a trained weight the logits are recomputed in the backward pass.
///   hidden_bsd [b, s, d]; weight_vd [v, d]; shifted_bs as of shift_labels().
torch::Tensor fused_log_probability(const torch::Tensor& hidden_bsd, const torch::Tensor& weight_vd,
                                    const torch::Tensor& shifted_bs, std::int64_t rows = kLossRows);

}  // namespace scalemark::llm
