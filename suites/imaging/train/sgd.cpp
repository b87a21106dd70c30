// SPDX-License-Identifier: Apache-2.0
// SGD with momentum over all parameters at once.
#include "suites/imaging/train/sgd.hpp"

#include <memory>
#include <utility>

#include <ATen/ATen.h>

#include "common/base/error.hpp"

namespace scalemark::imaging {

Sgd::Sgd(std::vector<at::Tensor> parameters, const torch::optim::SGDOptions& options)
    : SGD(std::move(parameters), options), options_(options) {
  if (options.momentum() <= 0 || options.weight_decay() != 0 || options.dampening() != 0 ||
      options.nesterov()) {
    throw UsageError("Sgd has momentum, but neither weight decay, dampening nor Nesterov momentum");
  }
}

at::Tensor Sgd::step(LossClosure closure) {
  if (closure) throw UsageError("Sgd takes no closure");
  const torch::NoGradGuard no_grad;
  std::vector<at::Tensor> parameters, gradients, momenta;
  for (const auto& group : param_groups()) {
    for (const at::Tensor& parameter : group.params()) {
      const at::Tensor& gradient = parameter.grad();
      if (!gradient.defined()) continue;
      parameters.push_back(parameter);
      gradients.push_back(gradient);
      momenta.push_back(momentum_of(parameter));
    }
  }
  if (parameters.empty()) return {};
  at::_foreach_mul_(momenta, options_.momentum());
  at::_foreach_add_(momenta, gradients);
  at::_foreach_add_(parameters, momenta, -options_.lr());
  return {};
}

at::Tensor Sgd::momentum_of(const at::Tensor& parameter) {
  auto& state = state_[parameter.unsafeGetTensorImpl()];
  if (state == nullptr) {
    auto made = std::make_unique<torch::optim::SGDParamState>();
    made->momentum_buffer(at::zeros_like(parameter.grad()));
    state = std::move(made);
  }
  return static_cast<torch::optim::SGDParamState&>(*state).momentum_buffer();
}

}  // namespace scalemark::imaging
