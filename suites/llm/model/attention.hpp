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

}  // namespace scalemark::llm
