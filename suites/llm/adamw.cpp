// SPDX-License-Identifier: Apache-2.0
// AdamW over LibTorch's fused kernel.
#include "suites/llm/adamw.hpp"

#include <utility>

#include <torch/utils.h>

namespace scalemark::llm {

AdamW::AdamW(std::vector<torch::Tensor> parameters, const AdamWOptions& options)
    : parameters_(std::move(parameters)), options_(options) {
  for (const torch::Tensor& parameter : parameters_) {
    means_.push_back(torch::zeros_like(parameter));
    squares_.push_back(torch::zeros_like(parameter));
    steps_.push_back(torch::zeros({}, parameter.options().dtype(torch::kFloat32)));
  }
}

void AdamW::step() {
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> gradients;
  gradients.reserve(parameters_.size());
  for (const torch::Tensor& parameter : parameters_) gradients.push_back(parameter.grad());
  at::_foreach_add_(steps_, 1);
  at::_fused_adamw_(parameters_, gradients, means_, squares_, /*max_exp_avg_sqs=*/{}, steps_,
                    options_.learning_rate, options_.beta1, options_.beta2, options_.weight_decay,
                    options_.eps, /*amsgrad=*/false,
                    /*maximize=*/false);
}

void AdamW::zero_grad() {
  for (torch::Tensor& parameter : parameters_) parameter.mutable_grad().reset();
}

}  // namespace scalemark::llm
