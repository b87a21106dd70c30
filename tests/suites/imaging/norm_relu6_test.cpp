// SPDX-License-Identifier: Apache-2.0
// Batch normalisation and ReLU6 in one, against LibTorch's two operators.
#include "suites/imaging/model/norm_relu6.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "suites/imaging/model/mobilenet.hpp"

namespace scalemark::imaging {
namespace {

struct Point {
  at::Tensor x, weight, bias, running_mean, running_var;
  explicit Point(const std::vector<std::int64_t>& shape, at::ScalarType type, double offset = 0) {
    at::manual_seed(5);
    const auto options = at::TensorOptions(type);
    x = (at::randn(shape, options) * 3 + offset).contiguous(at::MemoryFormat::ChannelsLast);
    weight = at::rand({shape[1]}, options) + 2;
    bias = at::randn({shape[1]}, options) + 2;  // both ends of ReLU6 are met
    running_mean = at::randn({shape[1]}, options);
    running_var = at::rand({shape[1]}, options) + 1;
    for (at::Tensor* one : {&x, &weight, &bias}) one->requires_grad_();
  }
  at::Tensor separate() const {
    return at::relu6(
        at::batch_norm(x, weight, bias, running_mean, running_var, true, 0.1, 1e-5, false));
  }
  at::Tensor fused() const {
    return norm_relu6(x, weight, bias, running_mean, running_var, 0.1, 1e-5);
  }
  std::vector<at::Tensor> gradients(const at::Tensor& y) const {
    at::manual_seed(6);
    return torch::autograd::grad({y}, {x, weight, bias}, {at::randn_like(y)});
  }
};

void expect_near(const at::Tensor& got, const at::Tensor& wanted, double tolerance) {
  EXPECT_EQ(got.scalar_type(), wanted.scalar_type());
  const double scale = std::max(1.0, wanted.abs().max().item<double>());
  EXPECT_LE((got - wanted).abs().max().item<double>(), tolerance * scale);
}

class NormRelu6 : public testing::TestWithParam<std::vector<std::int64_t>> {};

TEST_P(NormRelu6, IsBatchNormAndRelu6WithTheirGradients) {
  for (const auto& [type, tolerance] :
       {std::pair(at::kDouble, 1e-12), std::pair(at::kFloat, 2e-5)}) {
    const Point one(GetParam(), type), two(GetParam(), type);
    const at::Tensor wanted = one.separate(), got = two.fused();
    EXPECT_GT(wanted.eq(0).sum().item<int>(), 0);
    EXPECT_GT(wanted.eq(6).sum().item<int>(), 0);
    expect_near(got, wanted, tolerance);
    expect_near(two.running_mean, one.running_mean, tolerance);
    expect_near(two.running_var, one.running_var, tolerance);
    const auto a = two.gradients(got), b = one.gradients(wanted);
    for (std::size_t i = 0; i < 3; ++i) expect_near(a[i], b[i], tolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, NormRelu6,
                         testing::Values(std::vector<std::int64_t>{4, 32, 17, 13},
                                         std::vector<std::int64_t>{2, 7, 33, 31},
                                         std::vector<std::int64_t>{32, 1280, 1, 1},
                                         std::vector<std::int64_t>{3, 16, 9, 9}));

TEST(NormRelu6, ChannelsFarFromZeroKeepTheirVariance) {
  const Point one({8, 16, 20, 20}, at::kFloat, 3000), two({8, 16, 20, 20}, at::kFloat, 3000);
  // In float a mean of 3000 leaves x - mean about 1e-4.
  expect_near(two.fused(), one.separate(), 1e-3);
}

TEST(NormRelu6, DoesNotDependOnTheThreads) {
  const int before = at::get_num_threads();
  const Point one({4, 24, 40, 40}, at::kFloat), two({4, 24, 40, 40}, at::kFloat);
  at::set_num_threads(1);
  const at::Tensor a = one.fused();
  const auto da = one.gradients(a);
  at::set_num_threads(3);
  const at::Tensor b = two.fused();
  const auto db = two.gradients(b);
  at::set_num_threads(before);
  EXPECT_TRUE(a.equal(b));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(da[i].equal(db[i])) << i;
}

TEST(NormRelu6, OnlyTakesWhatItCanDo) {
  EXPECT_TRUE(
      can_fuse_norm_relu6(at::zeros({2, 3, 4, 4}).contiguous(at::MemoryFormat::ChannelsLast)));
  EXPECT_FALSE(can_fuse_norm_relu6(at::zeros({2, 3, 4, 4})));
  EXPECT_FALSE(can_fuse_norm_relu6(
      at::zeros({2, 3, 4, 4}, at::kBFloat16).contiguous(at::MemoryFormat::ChannelsLast)));
  EXPECT_FALSE(can_fuse_norm_relu6(at::zeros({1, 3, 1, 1}))) << "a variance of one value";
}

TEST(NormRelu6Network, FusedIsTheSameNetwork) {
  at::manual_seed(1);
  MobileNetV2 plain({.dropout = 0});
  at::manual_seed(1);
  MobileNetV2 fused({.dropout = 0, .fused = true});
  for (MobileNetV2* one : {&plain, &fused}) {
    one->to(at::kDouble);
    to_channels_last(*one);
  }
  const at::Tensor x =
      at::rand({4, 3, 64, 64}, at::kDouble).contiguous(at::MemoryFormat::ChannelsLast);
  const at::Tensor a = plain.forward(x), b = fused.forward(x);
  expect_near(b, a, 1e-10);
  a.square().sum().backward();
  b.square().sum().backward();
  const auto p = plain.named_parameters(), q = fused.named_parameters();
  for (const auto& item : p) expect_near(q[item.key()].grad(), item.value().grad(), 1e-9);
  const auto u = plain.named_buffers(), v = fused.named_buffers();
  for (const auto& item : u) expect_near(v[item.key()], item.value(), 1e-10);
}

}  // namespace
}  // namespace scalemark::imaging
