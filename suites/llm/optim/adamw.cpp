// SPDX-License-Identifier: Apache-2.0
// AdamW over LibTorch's fused kernel.
#include "suites/llm/optim/adamw.hpp"

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
  const auto update = [&](const auto& rate) {
    at::_fused_adamw_(parameters_, gradients, means_, squares_, /*max_exp_avg_sqs=*/{}, steps_,
                      rate, options_.beta1, options_.beta2, options_.weight_decay, options_.eps,
                      /*amsgrad=*/false, /*maximize=*/false);
  };
  if (rate_.defined()) {
    update(rate_);
  } else {
    update(options_.learning_rate);
  }
}

void AdamW::set_learning_rate(double learning_rate) {
  options_.learning_rate = learning_rate;
  if (rate_.defined()) rate_.fill_(learning_rate);
}

void AdamW::keep_rate_on_device() {
  rate_ =
      torch::full({}, options_.learning_rate, parameters_.front().options().dtype(torch::kFloat32));
}

void AdamW::zero_grad() {
  for (torch::Tensor& parameter : parameters_) parameter.mutable_grad().reset();
}

}  // namespace scalemark::llm
