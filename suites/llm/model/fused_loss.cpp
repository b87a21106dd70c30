// SPDX-License-Identifier: Apache-2.0
// Output head and cross-entropy as one autograd function.
#include "suites/llm/model/fused_loss.hpp"

#include <algorithm>

#include <torch/autograd.h>
#include <torch/utils.h>

#include "common/torch/products.hpp"
#include "suites/llm/model/loss.hpp"

namespace scalemark::llm {
namespace {

class FusedLoss : public torch::autograd::Function<FusedLoss> {
 public:
  static torch::Tensor forward(torch::autograd::AutogradContext* context,
                               const torch::Tensor& hidden_nd, const torch::Tensor& weight_vd,
                               const torch::Tensor& labels_n, std::int64_t rows) {
    const auto wide = torch::promoteTypes(hidden_nd.scalar_type(), torch::kFloat32);
    const bool weight_learns = weight_vd.requires_grad();
    const torch::Tensor places = unmasked_indices(labels_n);
    torch::Tensor sum = torch::zeros({}, hidden_nd.options().dtype(wide));
    torch::Tensor to_hidden = torch::zeros_like(hidden_nd);
    torch::Tensor to_weight;
    for (std::int64_t from = 0; from < places.size(0); from += rows) {
      const torch::Tensor chosen = places.slice(0, from, from + rows);
      const torch::Tensor hidden = hidden_nd.index_select(0, chosen);
      const torch::Tensor labels = labels_n.index_select(0, chosen).unsqueeze(1);
      torch::Tensor logits = torch_support::linear(hidden, weight_vd).to(wide);
      const LabelLogarithms logarithms = label_logarithms(logits, labels);
      sum -= logarithms.values.sum();
      logits.sub_(logarithms.scale).exp_();  // softmax minus one-hot label: the gradient
      logits.scatter_add_(1, logarithms.labels, -logarithms.counts);
      const torch::Tensor gradient = logits.to(weight_vd.scalar_type());
      to_hidden.index_copy_(0, chosen, torch_support::product(gradient, weight_vd));
      if (weight_learns) add_product(to_weight, gradient.t(), hidden);
    }
    if (weight_learns && !to_weight.defined()) to_weight = torch::zeros_like(weight_vd);
    context->save_for_backward({to_hidden, to_weight});
    return sum;
  }

  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                               const torch::autograd::tensor_list& gradients) {
    const auto saved = context->get_saved_variables();
    const auto scaled = [&](const torch::Tensor& gradient) {
      return gradient.defined() ? gradient * gradients[0].to(gradient.scalar_type())
                                : torch::Tensor();
    };
    return {scaled(saved[0]), scaled(saved[1]), torch::Tensor(), torch::Tensor()};
  }
};

}  // namespace

torch::Tensor fused_loss_sum(const torch::Tensor& hidden_bsd, const torch::Tensor& weight_vd,
                             const torch::Tensor& shifted_bs, std::int64_t rows) {
  return FusedLoss::apply(hidden_bsd.flatten(0, 1), weight_vd, shifted_bs.flatten(),
                          std::max<std::int64_t>(rows, 1));
}

}  // namespace scalemark::llm
