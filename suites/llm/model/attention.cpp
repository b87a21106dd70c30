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

}  // namespace scalemark::llm
