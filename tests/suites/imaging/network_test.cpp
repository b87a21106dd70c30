// SPDX-License-Identifier: Apache-2.0
// The network beyond its golden values: initialisation, widths, layouts, dropout.
#include <cmath>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "suites/imaging/convolution.hpp"
#include "suites/imaging/images.hpp"
#include "suites/imaging/mobilenet.hpp"
#include "suites/imaging/mobilenet_shape.hpp"

namespace scalemark::imaging {
namespace {

TEST(MobileNet, WeightsAreThoseOfTheConvolutionsInOrder) {
  for (const double width : {1.0, 0.5}) {
    const MobileNetV2 network({.classes = 10, .width = width});
    const std::vector<Convolution> layers = convolutions(96, width);
    std::size_t next = 0;
    for (const at::Tensor& parameter : network.parameters()) {
      if (parameter.dim() != 4) continue;
      ASSERT_LT(next, layers.size());
      const Convolution& layer = layers[next++];
      EXPECT_EQ(parameter.sizes(), (std::vector<std::int64_t>{layer.out, layer.in / layer.groups,
                                                              layer.kernel, layer.kernel}))
          << layer.name;
    }
    EXPECT_EQ(next, layers.size());
  }
}

TEST(MobileNet, TheInitialisationIsTorchvisions) {
  at::manual_seed(1);
  const MobileNetV2 network;
  for (const auto& item : network.named_parameters()) {
    const at::Tensor values = item.value().detach();
    if (values.dim() == 4) {
      // Kaiming-normal over the outputs: variance 2 / (out * k * k). Three-sigma bounds of the
      // estimate.
      const auto n = static_cast<double>(values.numel());
      const double expected =
          std::sqrt(2.0 / static_cast<double>(values.size(0) * values.size(2) * values.size(3)));
      EXPECT_NEAR(values.std().item<double>() / expected, 1, 4 / std::sqrt(2 * n)) << item.key();
      EXPECT_NEAR(values.mean().item<double>() / expected, 0, 4 / std::sqrt(n)) << item.key();
    } else if (item.key() == "classifier.1.weight") {
      EXPECT_NEAR(values.std().item<double>(), 0.01, 0.0005);
    } else {
      const double constant = item.key().ends_with("weight") ? 1 : 0;
      EXPECT_TRUE(values.eq(constant).all().item<bool>()) << item.key();
    }
  }
}

TEST(MobileNet, DropoutIsOnlyInTraining) {
  at::manual_seed(1);
  MobileNetV2 network;
  const at::NoGradGuard no_grad;
  const at::Tensor x = at::rand({2, 3, 32, 32});
  network.eval();
  EXPECT_TRUE(at::equal(network.forward(x), network.forward(x)));
  network.train();
  EXPECT_FALSE(at::equal(network.forward(x), network.forward(x)));
}

TEST(MobileNet, ChannelsLastStaysChannelsLast) {
  MobileNetV2 network;
  to_channels_last(network);
  for (const at::Tensor& parameter : network.parameters()) {
    if (parameter.dim() == 4) {
      EXPECT_TRUE(parameter.is_contiguous(at::MemoryFormat::ChannelsLast));
    }
  }
}

TEST(Images, ThreeChannelsHaveMemoryOfTheirOwnInTheLayoutAskedFor) {
  const at::Tensor grey = at::rand({2, 1, 4, 5});
  for (const auto format : {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
    const at::Tensor colour = three_channels(grey, format);
    EXPECT_TRUE(colour.is_contiguous(format));
    EXPECT_TRUE(at::equal(colour, grey.expand({2, 3, 4, 5})));
  }
}

/// The check must tell right from wrong: results pass, and a single changed layer of values does
/// not.
TEST(Convolution, TheCheckFindsWrongResults) {
  for (const char* name : {"stem", "depthwise2", "expand3", "project8"}) {
    for (const bool nhwc : {false, true}) {
      ConvolutionLayer layer(convolution(name, 32), 2, nhwc, c10::Device(c10::kCPU));
      layer.run(true);
      const Case::Checked right = layer.check(true);
      EXPECT_GE(right.checked, 3 * 32U);
      EXPECT_EQ(right.wrong, 0U) << name;
      for (at::Tensor* tensor : {&layer.output, &layer.input_gradient, &layer.weight_gradient}) {
        const at::Tensor kept = tensor->clone();
        tensor->add_(0.01);
        EXPECT_GT(layer.check(true).wrong, 0U) << name;
        tensor->copy_(kept);
      }
    }
  }
}

TEST(Convolution, TheForwardPassAloneIsCheckedAlone) {
  ConvolutionLayer layer(convolution("expand2", 32), 1, false, c10::Device(c10::kCPU));
  layer.run(false);
  EXPECT_EQ(layer.check(false).checked, 64U);
  EXPECT_EQ(layer.check(false).wrong, 0U);
  EXPECT_FALSE(layer.input_gradient.defined());
  const double multiply_adds = 16 * 16 * 16 * 96;
  EXPECT_EQ(layer.flops(false), 2 * multiply_adds);
  EXPECT_EQ(layer.flops(true), 6 * multiply_adds);
}

}  // namespace
}  // namespace scalemark::imaging
