// SPDX-License-Identifier: Apache-2.0
// Attention of a decoder layer, by LibTorch.
#pragma once

#include <torch/types.h>

namespace scalemark::llm {

/// Whether LibTorch's flash attention supports such tensors; it needs neither repeated heads nor
/// masks for packed sequences.
bool has_flash(const torch::TensorOptions& options);

/// softmax(q k^T / sqrt(e) + mask) v for q_bshe [b, s, heads, e], k_bske and v_bske [b, s, kv
/// heads, e]; each head of k and v serves heads / kv heads of q. Causal if there is no mask. With
/// `grouped` LibTorch takes k and v as they are, else they are repeated first.
torch::Tensor attention(const torch::Tensor& q_bshe, const torch::Tensor& k_bske,
                        const torch::Tensor& v_bske, const torch::Tensor& mask, bool grouped);

/// The same for one query per row, q_b1he, that attends to all of k_bkse and v_bkse [b, kv heads,
/// s, e]: the heads that share a head of k and v are that many queries of it. Returns [b, 1, heads,
/// e].
torch::Tensor attention_of_one(const torch::Tensor& q_b1he, const torch::Tensor& k_bkse,
                               const torch::Tensor& v_bkse);

}  // namespace scalemark::llm
