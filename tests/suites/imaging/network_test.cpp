// SPDX-License-Identifier: Apache-2.0
// The network beyond its golden values: initialisation, widths, layouts, dropout.
#include <cmath>
#include <fstream>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "suites/imaging/convolution.hpp"
#include "suites/imaging/images.hpp"
#include "suites/imaging/mobilenet.hpp"
#include "suites/imaging/mobilenet_shape.hpp"
#include "suites/imaging/weights.hpp"
#include "tests/support/temp_dir.hpp"

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

torch_support::NamedTensors weights_of(const MobileNetV2& model) {
  torch_support::NamedTensors all;
  for (const auto& item : model.named_parameters()) all[item.key()] = item.value().detach();
  for (const auto& item : model.named_buffers()) all[item.key()] = item.value();
  return all;
}

std::string refusal(const torch_support::NamedTensors& weights) {
  MobileNetV2 model;
  try {
    load_weights(model, weights, "w.safetensors");
  } catch (const InputError& error) {
    return error.what();
  }
  return "(taken)";
}

TEST(Weights, OfAFileGiveTheSameNetwork) {
  at::manual_seed(3);
  MobileNetV2 first, second;
  for (const auto& item : first.named_buffers()) item.value().add_(1);
  const test::TempDir folder;
  std::ofstream(folder / "w.safetensors", std::ios::binary)
      << torch_support::to_safetensors(weights_of(first));
  load_weights(second, torch_support::read_safetensors(folder / "w.safetensors"), "w.safetensors");
  first.eval();
  second.eval();
  const at::Tensor images = at::rand({2, 3, 32, 32});
  EXPECT_TRUE(first.forward(images).equal(second.forward(images)));
}

TEST(Weights, OfAnotherNetworkAreRefused) {
  const torch_support::NamedTensors good = weights_of(MobileNetV2());
  EXPECT_EQ(refusal(good), "(taken)");
  auto untracked = good;
  std::erase_if(untracked, [](const auto& one) { return one.first.ends_with("tracked"); });
  EXPECT_EQ(refusal(untracked), "(taken)");
  EXPECT_EQ(refusal(weights_of(MobileNetV2({.classes = 1000}))),
            "weights w.safetensors: they are for 1000 classes, this network has 10");
  auto lacking = good;
  lacking.erase("features.1.conv.0.0.weight");
  EXPECT_EQ(refusal(lacking), "weights w.safetensors: 'features.1.conv.0.0.weight' is missing");
  auto more = good;
  more["features.19.0.weight"] = at::zeros({1});
  EXPECT_EQ(refusal(more), "weights w.safetensors: 'features.19.0.weight' is not of this network");
  auto bent = good;
  bent["features.0.0.weight"] = at::zeros({32, 3, 5, 5});
  EXPECT_EQ(refusal(bent),
            "weights w.safetensors: 'features.0.0.weight' has the shape [32, 3, 5, 5], this "
            "network's is [32, 3, 3, 3]");
}

}  // namespace
}  // namespace scalemark::imaging
