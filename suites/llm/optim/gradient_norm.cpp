// SPDX-License-Identifier: Apache-2.0
// Norm and clipping of gradients.
#include "suites/llm/optim/gradient_norm.hpp"

#include <torch/utils.h>

namespace scalemark::llm {
namespace {

std::vector<torch::Tensor> gradients_of(const std::vector<torch::Tensor>& parameters) {
  std::vector<torch::Tensor> gradients;
  gradients.reserve(parameters.size());
  for (const torch::Tensor& parameter : parameters) gradients.push_back(parameter.grad());
  return gradients;
}

}  // namespace

torch::Tensor gradient_norm(const std::vector<torch::Tensor>& parameters) {
  return torch::stack(at::_foreach_norm(gradients_of(parameters))).norm();
}

void clip_gradients(const std::vector<torch::Tensor>& parameters, const torch::Tensor& norm,
                    double most) {
  const torch::NoGradGuard no_grad;
  at::_foreach_mul_(gradients_of(parameters), (most / (norm + 1e-6)).clamp_max(1));
}

}  // namespace scalemark::llm
