// SPDX-License-Identifier: Apache-2.0
// MobileNetV2: stem, 17 inverted residual blocks, head.
#include "suites/imaging/model/mobilenet.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <ATen/ATen.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>

#include "suites/imaging/model/mobilenet_shape.hpp"
#include "suites/imaging/model/norm_relu6.hpp"

namespace scalemark::imaging {
namespace {

using torch::nn::BatchNorm2d;
using torch::nn::Conv2d;
using torch::nn::Conv2dOptions;

/// Convolution without bias; its padding keeps the image size at stride 1.
Conv2d make_conv(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride,
                 std::int64_t groups) {
  return Conv2d(Conv2dOptions(in, out, kernel)
                    .stride(stride)
                    .padding((kernel - 1) / 2)
                    .groups(groups)
                    .bias(false));
}

/// Convolution, batch normalisation, ReLU6.
struct ConvBlock : Layer {
  ConvBlock(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride,
            std::int64_t groups, bool may_fuse)
      : fused(may_fuse),
        conv(register_module("0", make_conv(in, out, kernel, stride, groups))),
        norm(register_module("1", BatchNorm2d(out))) {}
  at::Tensor forward(const at::Tensor& x) override {
    auto y = conv->forward(x);
    if (fused && is_training() && can_fuse_norm_relu6(y)) {
      norm->num_batches_tracked += 1;
      return norm_relu6(y, norm->weight, norm->bias, norm->running_mean, norm->running_var,
                        norm->options.momentum().value(), norm->options.eps());
    }
    y = norm->forward(y);
    return at::relu6_(y);
  }
  bool fused;
  Conv2d conv;
  BatchNorm2d norm;
};

/// 1x1 expansion, 3x3 depthwise filter, 1x1 projection without activation. Adds the input if the
/// shapes agree.
struct InvertedResidual : Layer {
  InvertedResidual(std::int64_t in, std::int64_t out, std::int64_t stride, std::int64_t expansion,
                   bool fused)
      : adds_input(stride == 1 && in == out) {
    const auto hidden = in * expansion;
    auto conv = register_module("conv", std::make_shared<torch::nn::Module>());
    auto name = [next = 0]() mutable { return std::to_string(next++); };
    if (expansion != 1) {
      expand =
          conv->register_module(name(), std::make_shared<ConvBlock>(in, hidden, 1, 1, 1, fused));
    }
    filter = conv->register_module(
        name(), std::make_shared<ConvBlock>(hidden, hidden, 3, stride, hidden, fused));
    project = conv->register_module(name(), make_conv(hidden, out, 1, 1, 1));
    norm = conv->register_module(name(), BatchNorm2d(out));
  }
  at::Tensor forward(const at::Tensor& x) override {
    auto y = expand ? expand->forward(x) : x;
    y = norm->forward(project->forward(filter->forward(y)));
    return adds_input ? x + y : y;
  }
  bool adds_input;
  std::shared_ptr<ConvBlock> expand, filter;
  Conv2d project = nullptr;
  BatchNorm2d norm = nullptr;
};

}  // namespace

MobileNetV2::MobileNetV2(const MobileNetOptions& options) : options_(options) {
  auto features = register_module("features", std::make_shared<torch::nn::Module>());
  auto append = [&](std::shared_ptr<Layer> layer) {
    features_.push_back(
        features->register_module(std::to_string(features_.size()), std::move(layer)));
  };
  auto channels = round_channels(static_cast<double>(kStemChannels) * options.width);
  append(std::make_shared<ConvBlock>(3, channels, 3, 2, 1, options.fused));
  for (const auto& stage : kStages) {
    const auto out = round_channels(static_cast<double>(stage.channels) * options.width);
    for (std::int64_t i = 0; i < stage.repeats; ++i) {
      append(std::make_shared<InvertedResidual>(channels, out, i == 0 ? stage.stride : 1,
                                                stage.expansion, options.fused));
      channels = out;
    }
  }
  const auto head =
      round_channels(static_cast<double>(kHeadChannels) * std::max(1.0, options.width));
  append(std::make_shared<ConvBlock>(channels, head, 1, 1, 1, options.fused));
  // torchvision's classifier is (dropout, linear): the linear layer is child 1.
  classifier_ = register_module("classifier", std::make_shared<torch::nn::Module>())
                    ->register_module("1", torch::nn::Linear(head, options.classes));
  initialise();
}

void MobileNetV2::initialise() {
  at::NoGradGuard no_grad;
  for (const auto& item : named_parameters()) {
    auto parameter = item.value();
    if (parameter.dim() == 4) {
      torch::nn::init::kaiming_normal_(parameter, 0, torch::kFanOut, torch::kReLU);
    }
  }
  torch::nn::init::normal_(classifier_->weight, 0, 0.01);
  torch::nn::init::zeros_(classifier_->bias);
}

at::Tensor MobileNetV2::forward(const at::Tensor& x) {
  auto y = x;
  for (const auto& layer : features_) y = layer->forward(y);
  y = at::adaptive_avg_pool2d(y, {1, 1}).flatten(1);
  return classifier_->forward(at::dropout(y, options_.dropout, is_training()));
}

void to_channels_last(torch::nn::Module& module) {
  const at::NoGradGuard no_grad;
  for (at::Tensor& parameter : module.parameters()) {
    // contiguous() would leave depthwise weights (one input channel) with NCHW strides, which then
    // differ from their gradients' strides.
    if (parameter.dim() == 4)
      parameter.set_data(
          at::empty(parameter.sizes(), parameter.options(), at::MemoryFormat::ChannelsLast)
              .copy_(parameter));
  }
}

}  // namespace scalemark::imaging
