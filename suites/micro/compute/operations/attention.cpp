// SPDX-License-Identifier: Apache-2.0
// Causal attention of a Llama3 layer, its formula, and how roundings enter it.
#include "suites/micro/compute/operations/attention.hpp"

#include <cmath>

#include <torch/types.h>

#include "suites/llm/model/attention.hpp"
#include "suites/llm/model/config.hpp"

namespace scalemark::micro {
namespace {

/// softmax(q k^T / sqrt(e)) over what stands at and before each token: [b, h, s, s].
at::Tensor probabilities(const at::Tensor& q_bhse, const at::Tensor& k_bhse) {
  const at::Tensor scores =
      q_bhse.matmul(k_bhse.transpose(2, 3)) / std::sqrt(static_cast<double>(q_bhse.size(3)));
  const at::Tensor later = at::ones_like(scores[0][0], at::kBool).triu(1);
  return scores.masked_fill(later, -INFINITY).softmax(-1);
}

/// Attention over [b, s, h, e], with one head of k and v.
at::Tensor by_formula(const Tensors& in, const at::Tensor& /*result*/) {
  return probabilities(in[0].transpose(1, 2), in[1].transpose(1, 2))
      .matmul(in[2].transpose(1, 2))
      .transpose(1, 2);
}

/// Flash attention rounds the probabilities P, the gradient dS of the scores, the result O and the
/// sums to 16 bits (Dao 2023, arXiv:2307.08691, algorithms 1 and 2). Independent roundings add up
/// as squares; that of O enters all of a row of dS = P (dP - sum(dO O)) alike.
Tensors rounded_terms(const Tensors& in, const at::Tensor& gradient) {
  const auto by_head = [](const at::Tensor& x_bshe) { return x_bshe.transpose(1, 2); };
  const at::Tensor q = by_head(in[0]), k = by_head(in[1]), v = by_head(in[2]);
  const double scale = 1 / std::sqrt(static_cast<double>(q.size(3)));
  const at::Tensor p = probabilities(q, k), o = p.matmul(v);
  const auto combined = [](const at::Tensor& a, const at::Tensor& b) {
    return a.square().matmul(b.square());
  };
  Tensors all{combined(p, v).sqrt()};
  if (gradient.defined()) {
    const at::Tensor g = by_head(gradient), sums = (g * o).sum(3, true),
                     sums_error = (g * o).square().sum(3, true).sqrt(),
                     ds = p * (g.matmul(v.transpose(2, 3)) - sums),
                     ds_error = (ds.square() + (p * sums_error).square()).sqrt();
    // k and v have one head, which sums over all heads of queries.
    all.push_back((combined(ds, k).sqrt() + sums_error * p.matmul(k).abs()) * scale);
    all.push_back(combined(ds_error.transpose(2, 3), q).sum(1, true).sqrt() * scale);
    all.push_back(combined(p.transpose(2, 3), g).sum(1, true).sqrt());
  }
  for (at::Tensor& size : all) size = size.transpose(1, 2);
  return all;
}

}  // namespace

Operation attention_operation(Case& c, const at::TensorOptions& options) {
  const llm::LlamaConfig config = llm::llama_config(c.text("model"));
  const std::int64_t batch = c.integer("batch"), sequence = c.integer("sequence"),
                     group = config.heads / config.kv_heads;
  const auto random = [&](std::int64_t heads) {
    return torch::randn({batch, sequence, heads, config.head_dim()}, options).requires_grad_();
  };
  const bool flash = llm::has_flash(options), grouped = flash && c.flag("fused");
  c.fact("flash", flash);
  return {.inputs = {random(config.heads), random(config.kv_heads), random(config.kv_heads)},
          .forward =
              [=](const Tensors& in) { return llm::attention(in[0], in[1], in[2], {}, grouped); },
          .fresh_inputs = 3,
          .formula = by_formula,
          // The last head of k and v, and its group of queries, of the last row.
          .part =
              [=](const at::Tensor& x_bshe) {
                const std::int64_t heads = x_bshe.size(2) == config.kv_heads ? 1 : group;
                return x_bshe.narrow(0, batch - 1, 1).narrow(2, x_bshe.size(2) - heads, heads);
              },
          .roundings = rounded_terms,
          .flop_formula = "4 b h s^2 e forward, 8 b h s^2 e backward, / time"};
}

OperationWork attention_work(const Point& p) {
  const llm::LlamaConfig config = llm::llama_config(p.text("model"));
  const auto batch = static_cast<double>(p.integer("batch")),
             sequence = static_cast<double>(p.integer("sequence")),
             width = static_cast<double>(config.dim),
             narrow = static_cast<double>(config.kv_heads * config.head_dim()),
             tokens = batch * sequence, inputs = tokens * (width + 2 * narrow);
  const torch_support::Passes passes = passes_of(p);
  return {.flops = passes.sum(4, 8) * tokens * sequence * width,
          .bytes = element_bytes(p.text("precision")) *
                   operation_bytes(inputs, tokens * width, inputs, passes)};
}

std::uint64_t attention_memory(const Point& p) {
  const llm::LlamaConfig config = llm::llama_config(p.text("model"));
  const auto sequence = static_cast<double>(p.integer("sequence"));
  const auto group = static_cast<double>(config.heads / config.kv_heads);
  // Without flash attention LibTorch keeps the scores of all heads.
  const double scores =
      sequence * sequence * static_cast<double>(p.integer("batch") * config.heads);
  const double copies = p.flag("fused") ? 0 : 2;  // of k and v for each head
  return operation_memory(
      (4 + copies) * static_cast<double>(p.integer("batch") * config.dim) * sequence + scores / 3 +
          group * sequence * sequence,
      p.text("precision"));
}

}  // namespace scalemark::micro
