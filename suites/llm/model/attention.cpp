// SPDX-License-Identifier: Apache-2.0
// Attention of a decoder layer, by LibTorch.
#include "suites/llm/model/attention.hpp"

#include "suites/llm/model/llama.hpp"

namespace scalemark::llm {

bool has_flash(const torch::TensorOptions& options) {
  const auto type = c10::typeMetaToScalarType(options.dtype());
  return options.device().is_cuda() && (type == torch::kBFloat16 || type == torch::kFloat16);
}

torch::Tensor attention(const torch::Tensor& q_bshe, const torch::Tensor& k_bske,
                        const torch::Tensor& v_bske, const torch::Tensor& mask, bool grouped) {
  const std::int64_t times = grouped ? 1 : q_bshe.size(2) / k_bske.size(2);
  const bool causal = !mask.defined();
  return at::scaled_dot_product_attention(
             q_bshe.transpose(1, 2), repeat_heads(k_bske, times).transpose(1, 2),
             repeat_heads(v_bske, times).transpose(1, 2),
             causal ? c10::nullopt : c10::make_optional(mask), /*dropout_p=*/0, causal,
             /*scale=*/{}, /*enable_gqa=*/grouped)
      .transpose(1, 2);
}

torch::Tensor attention_of_one(const torch::Tensor& q_b1he, const torch::Tensor& k_bkse,
                               const torch::Tensor& v_bkse) {
  const torch::Tensor q_bkte = q_b1he.reshape({q_b1he.size(0), k_bkse.size(1), -1, q_b1he.size(3)});
  return at::scaled_dot_product_attention(q_bkte, k_bkse, v_bkse).reshape(q_b1he.sizes());
}

}  // namespace scalemark::llm
