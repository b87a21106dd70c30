// SPDX-License-Identifier: Apache-2.0
// Matrix products by MKL or oneDNN.
#include "common/torch/products.hpp"

#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/autograd.h>
#include <torch/utils.h>

namespace scalemark::torch_support {
namespace {

constexpr std::int64_t kMinMultiplications = 1 << 20;
std::atomic<bool> fast = false;

/// LibTorch's x W^T by oneDNN, for which LibTorch has no C++ function.
at::Tensor onednn_linear(const at::Tensor& x, const at::Tensor& weight) {
  using Linear = at::Tensor(const at::Tensor&, const at::Tensor&, const std::optional<at::Tensor>&,
                            std::string_view, c10::List<std::optional<at::Scalar>>,
                            std::optional<std::string_view>);
  static const auto function = c10::Dispatcher::singleton()
                                   .findSchemaOrThrow("mkldnn::_linear_pointwise", "")
                                   .typed<Linear>();
  return function.call(x, weight, {}, "none", c10::List<std::optional<at::Scalar>>(), "");
}

bool pays(const at::Tensor& x, const at::Tensor& weight) {
  return fast && x.is_cpu() && x.scalar_type() == at::kFloat && at::hasMKLDNN() &&
         x.numel() * weight.size(0) >= kMinMultiplications;
}

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

struct FastLinear : torch::autograd::Function<FastLinear> {
  static Variable forward(AutogradContext* context, const Variable& x, const Variable& weight) {
    context->save_for_backward(
        {weight.requires_grad() ? x : Variable(), x.requires_grad() ? weight : Variable()});
    return onednn_linear(x, weight);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1], &dy = gradients[0];
    at::Tensor dx, dweight;
    if (context->needs_input_grad(0)) dx = product(dy, weight);
    if (context->needs_input_grad(1))
      dweight = product(dy.reshape({-1, dy.size(-1)}).t(), x.reshape({-1, x.size(-1)}));
    return {dx, dweight};
  }
};

}  // namespace

FastProducts::FastProducts(bool on) : before_(fast.exchange(on)) {}
FastProducts::~FastProducts() { fast = before_; }

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight) {
  return pays(x, weight) ? FastLinear::apply(x, weight) : torch::linear(x, weight);
}

at::Tensor product(const at::Tensor& a, const at::Tensor& b) {
  const at::NoGradGuard no_grad;
  return pays(a, b.t()) ? onednn_linear(a, b.t()) : torch::matmul(a, b);
}

}  // namespace scalemark::torch_support
