// SPDX-License-Identifier: Apache-2.0
// The network beyond its golden values: initialisation, widths, layouts, dropout.
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/torch/precision.hpp"
#include "suites/imaging/data/images.hpp"
#include "suites/imaging/model/convolution.hpp"
#include "suites/imaging/model/convolution_check.hpp"
#include "suites/imaging/model/layout_conversion.hpp"
#include "suites/imaging/model/mobilenet.hpp"
#include "suites/imaging/model/mobilenet_shape.hpp"
#include "tests/support/called_operators.hpp"

namespace scalemark::imaging {
namespace {

constexpr torch_support::Passes kBoth, kForward{.backward = false};

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

constexpr std::array kPrecisions = {"fp64", "fp32", "bf16", "fp16"};

/// The check must tell right from wrong: results pass, and a single changed layer of values does
/// not.
TEST(Convolution, TheCheckFindsWrongResults) {
  int checked_precisions = 0;
  for (const std::string precision : kPrecisions) {
    for (const char* name : {"stem", "depthwise2", "expand3", "project8"}) {
      for (const bool nhwc : {false, true}) {
        const ConvolutionOptions options{.batch = 2, .nhwc = nhwc, .precision = precision};
        if (!why_not(convolution(name, 32), options, kBoth).empty()) continue;
        ++checked_precisions;
        ConvolutionLayer layer(convolution(name, 32), options);
        layer.run();
        const Case::Checked right = layer.check(kBoth);
        EXPECT_GE(right.checked, 3 * 32U);
        EXPECT_EQ(right.wrong, 0U) << name << ' ' << precision;
        for (at::Tensor* tensor : {&layer.output, &layer.input_gradient, &layer.weight_gradient}) {
          const at::Tensor kept = tensor->clone();
          tensor->add_(c10::elementSize(torch_support::storage_type(precision)) == 2 ? 1 : 0.01);
          EXPECT_GT(layer.check(kBoth).wrong, 0U) << name << ' ' << precision;
          tensor->copy_(kept.roll(1));
          EXPECT_GT(layer.check(kBoth).wrong, 10U)
              << name << ' ' << precision << ": the value before";
          tensor->copy_(kept * (1 + 1e-4));
          if (precision == "fp32" || precision == "fp64") {
            EXPECT_GT(layer.check(kBoth).wrong, 0U) << name << ' ' << precision;
          }
          tensor->copy_(kept);
        }
      }
    }
  }
  EXPECT_GE(checked_precisions, 16) << "fp64 and fp32 everywhere";
}

TEST(Convolution, ATermThatIsLeftOutIsFoundIn32Bits) {
  const ConvolutionTolerance tolerance = convolution_tolerance("fp32", 2);
  ProductSum sum;
  for (int i = 0; i < 960; ++i) sum.add(i % 2 == 0 ? 1 : -1, 0.5);
  sum.add(0.3, 0.1);
  EXPECT_DOUBLE_EQ(sum.size, 480.03);
  EXPECT_DOUBLE_EQ(sum.squares, 240.0009);
  EXPECT_TRUE(tolerance.holds(sum.value, sum));
  EXPECT_FALSE(tolerance.holds(sum.value - 0.03, sum)) << "the largest sums of the network";
  EXPECT_FALSE(tolerance.holds(std::nan(""), sum));
  EXPECT_THROW(convolution_tolerance("fp8", 2), Error);
}

TEST(Convolution, SixteenBitsAreHeldToTheirRoundings) {
  ProductSum sum;
  for (int i = 0; i < 400; ++i) sum.add(i % 2 == 0 ? 1 : -1, i < 20 ? 0 : 0.1);
  sum.add(1, 2);
  ASSERT_NEAR(sum.value, 2, 1e-12);
  // 2 for the value, and 4 sqrt(9) times sqrt(3.8 + 4) for parts; with 25 images 4 sqrt(25) times.
  const double nine = std::ldexp(2 + 12 * std::sqrt(7.8), -11);
  EXPECT_TRUE(convolution_tolerance("fp16", 2).holds(2 + nine, sum));
  EXPECT_FALSE(convolution_tolerance("fp16", 2).holds(2 + 1.02 * nine, sum));
  EXPECT_TRUE(convolution_tolerance("fp16", 25).holds(2 + 1.5 * nine, sum));
  EXPECT_TRUE(convolution_tolerance("bf16", 2).holds(2 + 7.9 * nine, sum));
  EXPECT_FALSE(convolution_tolerance("bf16", 2).holds(2 + 8.1 * nine, sum));
}

TEST(Convolution, InputsAreNumbersOfThePrecision) {
  for (const char* precision : {"bf16", "fp16", "tf32"}) {
    const ConvolutionLayer layer(convolution("stem", 32), {.precision = precision});
    const at::Tensor values = layer.input().to(at::kDouble);
    EXPECT_LT(values.mean().abs().item<double>(), 0.05);
    EXPECT_GT(values.abs().max().item<double>(), 0.99);
    const bool is_bf16 = precision == std::string("bf16");
    const at::Tensor narrow = layer.input().to(is_bf16 ? at::kBFloat16 : at::kHalf);
    EXPECT_TRUE(at::equal(narrow.to(at::kDouble), values)) << precision;
  }
  EXPECT_EQ(torch_support::storage_type("tf32"), at::kFloat);
  EXPECT_EQ(torch_support::storage_type("fp64"), at::kDouble);
}

TEST(Convolution, WhatTheDeviceCannotComputeHasAReason) {
  EXPECT_EQ(why_not(convolution("stem", 32), {.precision = "tf32"}, kForward),
            "tf32 is a format of NVIDIA GPUs");
  EXPECT_EQ(why_not(convolution("stem", 32), {.precision = "fp64"}, kBoth), "");
  Convolution impossible = convolution("stem", 32);
  impossible.groups = 2;  // of three channels
  EXPECT_THAT(why_not(impossible, {}, kForward), ::testing::HasSubstr("in fp32 on this device"));
}

/// Names of the operators that `body` calls, in order.
template <typename Body>
std::vector<std::string> operators_of(const Body& body) {
  std::vector<std::string> names;
  for (const test::CalledOperator& called : test::called_operators(body))
    names.push_back(called.name);
  return names;
}

TEST(Convolution, ARunIsTheTwoCallsAndNothingElse) {
  const Convolution shape = convolution("depthwise2", 32);
  ConvolutionLayer layer(shape, {.batch = 2});
  layer.run();
  const std::array<std::int64_t, 2> one{1, 1}, none{0, 0}, stride{shape.stride, shape.stride};
  const auto bare = operators_of([&] {
    const at::Tensor y = at::convolution(layer.input(), layer.weight(), {}, stride, one, one, false,
                                         none, shape.groups);
    at::convolution_backward(layer.gradient(), layer.input(), layer.weight(), c10::nullopt, stride,
                             one, one, false, none, shape.groups, {true, true, false});
  });
  EXPECT_EQ(operators_of([&] { layer.run(); }), bare);
  EXPECT_THAT(bare, ::testing::Contains("aten::convolution_backward"));
}

TEST(Convolution, TuningEndsWithItsScope) {
  const bool before = at::globalContext().benchmarkCuDNN();
  {
    const Autotune on(true);
    EXPECT_TRUE(at::globalContext().benchmarkCuDNN());
    const Autotune off(false);
    EXPECT_FALSE(at::globalContext().benchmarkCuDNN());
  }
  EXPECT_EQ(at::globalContext().benchmarkCuDNN(), before);
}

TEST(Convolution, TheForwardPassAloneIsCheckedAlone) {
  ConvolutionLayer layer(convolution("expand2", 32), {});
  layer.run(kForward);
  EXPECT_EQ(layer.check(kForward).checked, 64U);
  EXPECT_EQ(layer.check(kForward).wrong, 0U);
  EXPECT_FALSE(layer.input_gradient.defined());
  const double multiply_adds = 16 * 16 * 16 * 96;
  EXPECT_EQ(layer.flops(kForward), 2 * multiply_adds);
  EXPECT_EQ(layer.flops(kBoth), 6 * multiply_adds);
  EXPECT_EQ(layer.flops({.forward = false}), 4 * multiply_adds);
  const double bytes = 4 * (16 * 16 * 16 + 16 * 96 + 96 * 16 * 16);
  EXPECT_EQ(layer.bytes(kForward), bytes);
  EXPECT_EQ(ConvolutionLayer(convolution("expand2", 32), {.precision = "fp64"}).bytes(kBoth),
            6 * bytes);
}

TEST(LayoutConversion, EveryElementHasItsPlaceAndTheCheckSeesIt) {
  for (const auto type : {at::kDouble, at::kFloat, at::kBFloat16, at::kHalf}) {
    for (const bool to_nhwc : {false, true}) {
      LayoutConversion conversion({.batch = 2, .channels = 5, .size = 7}, type, to_nhwc,
                                  c10::Device(c10::kCPU));
      EXPECT_EQ(conversion.check().wrong, 490U) << "nothing was converted yet";
      conversion.run();
      const Case::Checked right = conversion.check();
      EXPECT_EQ(right.checked, 490U);
      EXPECT_EQ(right.wrong, 0U);
      EXPECT_EQ(conversion.check().wrong, 490U) << "what was seen once does not count again";
      conversion.run();
      conversion.converted()[1][4][6][5] += 1;
      EXPECT_EQ(conversion.check().wrong, 1U);
      EXPECT_EQ(conversion.bytes(), 2.0 * 490 * static_cast<double>(c10::elementSize(type)));
    }
  }
}

TEST(LayoutConversion, OnePixelAndOneChannelAreCopiedToo) {
  for (const LayoutConversion::Shape shape :
       {LayoutConversion::Shape{2, 320, 1}, LayoutConversion::Shape{2, 1, 9}}) {
    LayoutConversion conversion(shape, at::kFloat, true, c10::Device(c10::kCPU));
    conversion.run();
    EXPECT_EQ(conversion.check().wrong, 0U);
  }
}

}  // namespace
}  // namespace scalemark::imaging
