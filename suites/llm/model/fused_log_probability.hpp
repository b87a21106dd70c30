// SPDX-License-Identifier: Apache-2.0
// Output head and log-probabilities of the labels in one: the logits of all tokens are never there
// together.
#pragma once

#include <cstdint>

#include <torch/types.h>

#include "suites/llm/model/loss.hpp"

namespace scalemark::llm {

/// Log-probability of the unmasked labels of each row [b] under softmax(hidden @ weight^T). Tokens
/// without a label are not computed; at most `rows` rows of logits, in at least fp32, are held at a
/// time. A weight that does not learn costs no second pass: its hidden states' gradients are made
/// in the forward pass. For one that learns the logits are computed again in the backward pass.
///   hidden_bsd [b, s, d]; weight_vd [v, d]; shifted_bs as of shift_labels().
torch::Tensor fused_log_probability(const torch::Tensor& hidden_bsd, const torch::Tensor& weight_vd,
                                    const torch::Tensor& shifted_bs, std::int64_t rows = kLossRows);

}  // namespace scalemark::llm
