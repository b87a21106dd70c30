// SPDX-License-Identifier: Apache-2.0
// MobileNetV2 (Sandler et al. 2018) with the layers and parameter names of torchvision's
// mobilenet_v2.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>

#include "suites/imaging/model/mobilenet_shape.hpp"

namespace scalemark::imaging {

struct MobileNetOptions {
  std::int64_t classes = kClasses;
  double width = 1.0;    ///< multiplier of all channel counts except input and classes
  double dropout = 0.2;  ///< before the classifier; 0 = none
  bool fused = false;    ///< norm_relu6() for inputs it supports, else LibTorch's operators
};

/// One step of the feature extractor.
struct Layer : torch::nn::Module {
  virtual at::Tensor forward(const at::Tensor& x) = 0;
};

/// Input [batch, 3, height, width] in either memory layout, output logits [batch, classes].
/// Initialised from LibTorch's default generator: convolutions Kaiming-normal (fan out), the
/// classifier N(0, 0.01), so torch::manual_seed() fixes the weights.
class MobileNetV2 : public torch::nn::Module {
 public:
  explicit MobileNetV2(const MobileNetOptions& options = {});
  at::Tensor forward(const at::Tensor& x);
  const MobileNetOptions& options() const { return options_; }

 private:
  void initialise();

  MobileNetOptions options_;
  std::vector<std::shared_ptr<Layer>> features_;
  torch::nn::Linear classifier_ = nullptr;
};

/// Stores all convolution weights channels-last (NHWC), the fastest layout for such inputs.
void to_channels_last(torch::nn::Module& module);

}  // namespace scalemark::imaging
