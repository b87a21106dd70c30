// SPDX-License-Identifier: Apache-2.0
// Activation checkpointing as a function of LibTorch's autograd.
#include "suites/llm/model/checkpoint.hpp"

#include <utility>

#include <torch/autograd.h>
#include <torch/custom_class.h>

namespace scalemark::llm {
namespace {

using Layer = std::function<torch::Tensor(const torch::Tensor&)>;

/// Wraps a layer so that an autograd context can store it.
struct KeptLayer : torch::CustomClassHolder {
  explicit KeptLayer(Layer kept) : layer(std::move(kept)) {}
  Layer layer;
};

class Checkpoint : public torch::autograd::Function<Checkpoint> {
 public:
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x,
                               const c10::intrusive_ptr<KeptLayer>& kept, bool input_learns) {
    context->save_for_backward({x});
    context->saved_data["input_learns"] = input_learns;
    context->saved_data["layer"] = c10::IValue::make_capsule(kept);
    return kept->layer(x);  // gradients are disabled here
  }

  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                               const torch::autograd::tensor_list& gradients) {
    const auto capsule = context->saved_data["layer"].toCapsule();
    const auto& layer = static_cast<const KeptLayer&>(*capsule).layer;
    const bool input_learns = context->saved_data["input_learns"].toBool();
    torch::Tensor x = context->get_saved_variables()[0].detach().requires_grad_(input_learns);
    torch::Tensor y;
    {
      const torch::AutoGradMode with_gradients(true);
      y = layer(x);
    }
    torch::autograd::backward({y}, {gradients[0]});
    return {x.grad(), torch::Tensor(), torch::Tensor()};
  }
};

}  // namespace

torch::Tensor checkpointed(Layer layer, const torch::Tensor& x) {
  // Autograd calls backward only if an input requires a gradient; the first layer's input does not
  // if the embedding is frozen.
  const torch::Tensor input = x.requires_grad() ? x : x.detach().requires_grad_();
  return Checkpoint::apply(input, c10::make_intrusive<KeptLayer>(std::move(layer)),
                           x.requires_grad());
}

}  // namespace scalemark::llm
