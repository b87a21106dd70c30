// SPDX-License-Identifier: Apache-2.0
// Output head and log-probabilities as one autograd function.
#include "suites/llm/model/fused_log_probability.hpp"

#include <algorithm>

#include <torch/autograd.h>
#include <torch/utils.h>

#include "common/torch/products.hpp"
#include "suites/llm/model/loss.hpp"

namespace scalemark::llm {
namespace {

/// Hidden states of the unmasked tokens, starting at row `from`.
struct Chunk {
  torch::Tensor places, hidden, labels, logits;

  Chunk(const torch::Tensor& hidden_nd, const torch::Tensor& weight_vd,
        const torch::Tensor& labels_n, const torch::Tensor& all_places, std::int64_t from,
        std::int64_t rows)
      : places(all_places.slice(0, from, from + rows)),
        hidden(hidden_nd.index_select(0, places)),
        labels(labels_n.index_select(0, places).unsqueeze(1)),
        logits(torch_support::linear(hidden, weight_vd)
                   .to(torch::promoteTypes(hidden.scalar_type(), torch::kFloat32))) {}

  /// The log-probabilities. If `want_gradient`, `logits` become their gradient: one-hot label minus
  /// softmax.
  torch::Tensor log_probability(bool want_gradient) {
    const LabelLogarithms logarithms = label_logarithms(logits, labels);
    if (want_gradient) {
      logits.sub_(logarithms.scale).exp_().neg_();
      logits.scatter_add_(1, logarithms.labels, logarithms.counts);
    }
    return logarithms.values.squeeze(1);
  }
};

class FusedLogProbability : public torch::autograd::Function<FusedLogProbability> {
 public:
  static torch::Tensor forward(torch::autograd::AutogradContext* context,
                               const torch::Tensor& hidden_nd, const torch::Tensor& weight_vd,
                               const torch::Tensor& labels_n, std::int64_t rows, bool learns) {
    const bool weight_learns = learns && weight_vd.requires_grad();
    const bool gradient_now = learns && !weight_learns;
    const torch::Tensor places = unmasked_indices(labels_n);
    torch::Tensor result = torch::zeros(
        labels_n.sizes(),
        hidden_nd.options().dtype(torch::promoteTypes(hidden_nd.scalar_type(), torch::kFloat32)));
    torch::Tensor to_hidden;
    if (gradient_now) to_hidden = torch::zeros_like(hidden_nd);
    for (std::int64_t from = 0; from < places.size(0); from += rows) {
      Chunk chunk(hidden_nd, weight_vd, labels_n, places, from, rows);
      result.index_copy_(0, chunk.places, chunk.log_probability(gradient_now));
      if (gradient_now) {
        to_hidden.index_copy_(
            0, chunk.places,
            torch_support::product(chunk.logits.to(weight_vd.scalar_type()), weight_vd));
      }
    }
    context->saved_data["rows"] = rows;
    if (gradient_now) context->save_for_backward({to_hidden});
    if (weight_learns) context->save_for_backward({hidden_nd, weight_vd, labels_n});
    return result;
  }

  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                               const torch::autograd::tensor_list& gradients) {
    const auto saved = context->get_saved_variables();
    if (saved.size() == 1) {
      return {saved[0] * gradients[0].unsqueeze(1).to(saved[0].scalar_type()), torch::Tensor(),
              torch::Tensor(), torch::Tensor(), torch::Tensor()};
    }
    const torch::Tensor &hidden_nd = saved[0], &weight_vd = saved[1], &labels_n = saved[2];
    const std::int64_t rows = context->saved_data["rows"].toInt();
    const torch::Tensor places = unmasked_indices(labels_n);
    torch::Tensor to_hidden = torch::zeros_like(hidden_nd), to_weight;
    for (std::int64_t from = 0; from < places.size(0); from += rows) {
      Chunk chunk(hidden_nd, weight_vd, labels_n, places, from, rows);
      chunk.log_probability(/*want_gradient=*/true);
      const torch::Tensor gradient =
          chunk.logits.mul_(gradients[0].index_select(0, chunk.places).unsqueeze(1))
              .to(weight_vd.scalar_type());
      to_hidden.index_copy_(0, chunk.places, torch_support::product(gradient, weight_vd));
      add_product(to_weight, gradient.t(), chunk.hidden);
    }
    if (!to_weight.defined()) to_weight = torch::zeros_like(weight_vd);
    return {to_hidden, to_weight, torch::Tensor(), torch::Tensor(), torch::Tensor()};
  }
};

}  // namespace

torch::Tensor fused_log_probability(const torch::Tensor& hidden_bsd, const torch::Tensor& weight_vd,
                                    const torch::Tensor& shifted_bs, std::int64_t rows) {
  const bool learns =
      torch::GradMode::is_enabled() && (hidden_bsd.requires_grad() || weight_vd.requires_grad());
  return FusedLogProbability::apply(hidden_bsd.flatten(0, 1), weight_vd, shifted_bs.flatten(),
                                    std::max<std::int64_t>(rows, 1), learns)
      .view(shifted_bs.sizes())
      .sum(1);
}

}  // namespace scalemark::llm
