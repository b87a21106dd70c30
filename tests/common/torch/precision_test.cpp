// SPDX-License-Identifier: Apache-2.0
// Number formats and loss scaling against what PyTorch documents of autocast and GradScaler.
#include "common/torch/precision.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <gtest/gtest.h>
#include <torch/optim/sgd.h>

#include "common/base/error.hpp"
#include "common/torch/grad_scaler.hpp"

namespace scalemark::torch_support {
namespace {

const c10::Device kCpu{c10::kCPU};

at::Tensor convolved() {
  return at::conv2d(at::ones({1, 2, 4, 4}), at::ones({3, 2, 3, 3}).requires_grad_());
}

TEST(Precision, NamesAndFormats) {
  EXPECT_EQ(precision_names(), (std::vector<std::string>{"fp64", "fp32", "tf32", "bf16", "fp16"}));
  for (const std::string& name : precision_names()) {
    const Precision one = precision(name);
    EXPECT_EQ(one.name, name);
    EXPECT_EQ(one.parameters, name == "fp64" ? at::kDouble : at::kFloat) << name;
    EXPECT_EQ(one.compute.has_value(), name == "bf16" || name == "fp16") << name;
    EXPECT_EQ(one.tf32, name == "tf32");
    EXPECT_EQ(one.scales_loss, name == "fp16");
  }
  EXPECT_EQ(precision("bf16").compute, at::kBFloat16);
  EXPECT_EQ(precision("fp16").compute, at::kHalf);
  EXPECT_THROW(precision("fp8"), Error);
}

TEST(Precision, WhatACpuCannotTrainInIsSaid) {
  for (const std::string& name : precision_names())
    EXPECT_EQ(why_not(precision(name), kCpu),
              name == "tf32" ? "tf32 is a format of NVIDIA GPUs" : "");
  Precision impossible = precision("bf16");
  impossible.name = "complex";
  impossible.parameters = at::kLong;
  EXPECT_NE(why_not(impossible, kCpu).find("cannot train in complex"), std::string::npos);
  EXPECT_FALSE(at::autocast::is_autocast_enabled(at::kCPU)) << "left as it was";
}

TEST(Precision, AutocastLastsAsLongAsItsScope) {
  EXPECT_EQ(convolved().scalar_type(), at::kFloat);
  {
    const Autocast bf16(precision("bf16"), kCpu);
    EXPECT_EQ(convolved().scalar_type(), at::kBFloat16);
    {
      const Autocast fp16(precision("fp16"), kCpu);
      EXPECT_EQ(convolved().scalar_type(), at::kHalf);
      const Autocast none(precision("fp32"), kCpu);
      EXPECT_EQ(convolved().scalar_type(), at::kHalf) << "nothing to cast is no change";
    }
    EXPECT_EQ(convolved().scalar_type(), at::kBFloat16) << "the inner one restored it";
  }
  EXPECT_EQ(convolved().scalar_type(), at::kFloat);
  for (const char* name : {"fp64", "fp32", "tf32"}) {
    const Autocast none(precision(name), kCpu);
    EXPECT_EQ(convolved().scalar_type(), at::kFloat) << name;
  }
}

/// Parameters are cast once a scope, never changed, and not cast from a value that is outdated.
TEST(Precision, ParametersStayFp32AndAreCastAnew) {
  at::Tensor weight = at::ones({1, 1, 1, 1}).requires_grad_();
  const auto product = [&] {
    const Autocast autocast(precision("bf16"), kCpu);
    return at::conv2d(at::full({1, 1, 1, 1}, 3.0), weight);
  };
  const at::Tensor first = product();
  EXPECT_EQ(first.item<float>(), 3);
  first.to(at::kFloat).sum().backward();
  EXPECT_EQ(weight.scalar_type(), at::kFloat);
  EXPECT_EQ(weight.grad().scalar_type(), at::kFloat);
  EXPECT_EQ(weight.grad().item<float>(), 3);
  {
    const at::NoGradGuard no_grad;
    weight.fill_(2);
  }
  EXPECT_EQ(product().item<float>(), 6);
}

/// One parameter w = 1 with the loss c * w, by SGD of rate 1: each step that is made subtracts c.
struct Scaled {
  explicit Scaled(bool enabled, const GradScalerOptions& options = {})
      : scaler(enabled, kCpu, options) {}
  bool step(double c) {
    optimiser.zero_grad();
    scaler.scale((w * c).sum()).backward();
    scaled_gradient = w.grad().item<double>();
    const bool made = scaler.step(optimiser, {w});
    gradient = w.grad().item<double>();
    return made;
  }
  double value() const { return w.item<double>(); }

  at::Tensor w = at::ones({1}).requires_grad_();
  torch::optim::SGD optimiser{{w}, torch::optim::SGDOptions(1.0)};
  GradScaler scaler;
  double scaled_gradient = 0, gradient = 0;
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(GradScaler, BeginsAsPyTorchsDoes) {
  Scaled scaled(true);
  EXPECT_EQ(scaled.scaler.current(), 65536);
  EXPECT_TRUE(scaled.step(0.25));
  EXPECT_EQ(scaled.scaled_gradient, 65536 * 0.25);
  EXPECT_EQ(scaled.gradient, 0.25) << "powers of two are exact";
  EXPECT_EQ(scaled.value(), 0.75);
  EXPECT_EQ(scaled.scaler.skipped(), 0);
  EXPECT_EQ(scaled.scaler.current(), 65536);
}

TEST(GradScaler, AnOverflowSkipsTheStepAndHalvesTheScale) {
  for (const double bad : {kInfinity, -kInfinity, std::nan("")}) {
    Scaled scaled(true);
    EXPECT_FALSE(scaled.step(bad));
    EXPECT_EQ(scaled.value(), 1) << "no step";
    EXPECT_EQ(scaled.scaler.current(), 32768);
    EXPECT_EQ(scaled.scaler.skipped(), 1);
    EXPECT_FALSE(scaled.step(bad));
    EXPECT_EQ(scaled.scaler.current(), 16384);
    EXPECT_TRUE(scaled.step(0.5));
    EXPECT_EQ(scaled.gradient, 0.5) << "unscaled by the new scale";
    EXPECT_EQ(scaled.value(), 0.5);
    EXPECT_EQ(scaled.scaler.skipped(), 2);
  }
}

/// The gradient of the loss is finite, that of the scaled loss is not.
TEST(GradScaler, TheScaleItselfMayOverflow) {
  Scaled scaled(true, {.initial = std::ldexp(1.0, 127)});
  EXPECT_FALSE(scaled.step(4));
  EXPECT_FALSE(scaled.step(4));
  EXPECT_TRUE(scaled.step(4));
  EXPECT_EQ(scaled.gradient, 4);
  EXPECT_EQ(scaled.scaler.current(), std::ldexp(1.0, 125));
}

TEST(GradScaler, GrowsAfterAnIntervalWithoutOverflow) {
  Scaled scaled(true, {.initial = 1024, .growth = 4, .backoff = 0.25, .growth_interval = 3});
  const std::vector<double> gradients{1, 1, 1, 1, 1, kInfinity, 1, 1, 1, 1};
  const std::vector<double> scales{1024, 1024, 4096, 4096, 4096, 1024, 1024, 1024, 4096, 4096};
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    EXPECT_EQ(scaled.step(gradients[i]), std::isfinite(gradients[i]));
    EXPECT_EQ(scaled.scaler.current(), scales[i]) << "after step " << i;
  }
  EXPECT_EQ(scaled.value(), 1 - 9);
}

/// One bad value among all parameters; one parameter without a gradient.
TEST(GradScaler, OneBadValueOfAllIsEnough) {
  at::Tensor a = at::ones({1000}).requires_grad_(), b = at::ones({3, 3}).requires_grad_(),
             unused = at::ones({2}).requires_grad_();
  torch::optim::SGD optimiser({a, b, unused}, torch::optim::SGDOptions(1.0));
  GradScaler scaler(true, kCpu);
  a.mutable_grad() = at::full({1000}, 65536.0);
  b.mutable_grad() = at::full({3, 3}, 65536.0 * 2);
  EXPECT_TRUE(scaler.step(optimiser, {a, b, unused}));
  EXPECT_TRUE(a.eq(0).all().item<bool>());
  EXPECT_TRUE(b.eq(-1).all().item<bool>());
  b.mutable_grad().fill_(65536.0);
  b.mutable_grad()[2][2] = kInfinity;
  a.mutable_grad().fill_(65536.0);
  EXPECT_FALSE(scaler.step(optimiser, {a, b, unused}));
  EXPECT_TRUE(a.eq(0).all().item<bool>()) << "no parameter moves";
  EXPECT_TRUE(b.eq(-1).all().item<bool>());
}

TEST(GradScaler, NotEnabledItOnlySteps) {
  Scaled scaled(false);
  EXPECT_EQ(scaled.scaler.current(), 1);
  EXPECT_TRUE(scaled.step(0.1));
  EXPECT_EQ(scaled.gradient, scaled.scaled_gradient);
  EXPECT_FLOAT_EQ(static_cast<float>(scaled.gradient), 0.1F);
  EXPECT_TRUE(scaled.step(kInfinity));
  EXPECT_EQ(scaled.value(), -kInfinity) << "every step is made";
  EXPECT_EQ(scaled.scaler.skipped(), 0);
  const at::Tensor loss = at::ones({});
  EXPECT_TRUE(scaled.scaler.scale(loss).is_same(loss));
}

}  // namespace
}  // namespace scalemark::torch_support
