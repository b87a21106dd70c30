// SPDX-License-Identifier: Apache-2.0
// SGD with momentum over all parameters at once, as PyTorch in Python runs it on a GPU.
#pragma once

#include <vector>

#include <torch/optim/sgd.h>

namespace scalemark::imaging {

/// The step of torch::optim::SGD in three launches for all parameters, where the base class has
/// three for each parameter. Momentum is kept where the base class keeps it. Same arithmetic in the
/// same order. Without weight decay, dampening and Nesterov momentum.
class Sgd final : public torch::optim::SGD {
 public:
  /// Momentum must be positive. UsageError where an option is not supported.
  Sgd(std::vector<at::Tensor> parameters, const torch::optim::SGDOptions& options);

  /// Updates the parameters that have a gradient. `closure` must be empty.
  at::Tensor step(LossClosure closure = nullptr) override;

 private:
  /// Zeros before the first step.
  at::Tensor momentum_of(const at::Tensor& parameter);

  torch::optim::SGDOptions options_;
};

}  // namespace scalemark::imaging
