// SPDX-License-Identifier: Apache-2.0
// AdamW over LibTorch's fused kernel: one launch for all parameters (torch::optim::AdamW of the C++
// front end launches about ten for each).
#pragma once

#include <vector>

#include <torch/types.h>

namespace scalemark::llm {

struct AdamWOptions {
  double learning_rate = 3e-4;
  double beta1 = 0.9, beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0.01;  ///< decoupled, on every parameter
};

/// State is kept in the type of each parameter. All parameters are on one device.
class AdamW {
 public:
  AdamW(std::vector<torch::Tensor> parameters, const AdamWOptions& options);
  /// Updates every parameter; each must have a gradient.
  void step();
  /// Drops the gradients, so that the next backward writes instead of adds.
  void zero_grad();
  /// For schedules.
  void set_learning_rate(double learning_rate);
  /// From now on step() reads the learning rate from device memory, as fp32. A CUDA graph of step()
  /// would otherwise fix the rate at capture.
  void keep_rate_on_device();

  /// Optimiser state for checkpoints, one tensor per parameter; writable.
  const std::vector<torch::Tensor>& means() const { return means_; }
  const std::vector<torch::Tensor>& squares() const { return squares_; }
  const std::vector<torch::Tensor>& updates() const { return steps_; }  ///< float, counts

 private:
  std::vector<torch::Tensor> parameters_, means_, squares_, steps_;
  AdamWOptions options_;
  torch::Tensor rate_;  ///< defined if it is on the device
};

}  // namespace scalemark::llm
