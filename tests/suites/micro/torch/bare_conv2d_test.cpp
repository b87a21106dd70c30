// SPDX-License-Identifier: Apache-2.0
// A convolution as micro/conv2d times it against the same LibTorch calls in a bare loop on the same
// tensors, block by block in turns.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "common/result/summarise.hpp"
#include "common/stats/summary.hpp"
#include "common/torch/setup.hpp"
#include "suites/imaging/model/convolution.hpp"
#include "tests/support/run_case.hpp"

namespace scalemark::micro {
namespace {

constexpr int kBlocks = 16;  // of each kind and shape
constexpr std::int64_t kImage = 100, kBatch = 4;
constexpr double kAllowed = 0.02;

/// Of a shape: blocks' medians by the benchmark over those of the bare loop.
std::vector<double> ratios_of_case;

/// Median seconds of one of `samples` samples of `inner` calls each.
double time_bare(const imaging::ConvolutionLayer& layer, const imaging::Convolution& shape,
                 bool train, int samples, std::uint64_t inner) {
  const std::int64_t pad = (shape.kernel - 1) / 2;
  const std::array<std::int64_t, 2> stride{shape.stride, shape.stride}, padding{pad, pad},
      dilation{1, 1}, none{0, 0};
  std::vector<double> seconds;
  for (int i = 0; i < samples; ++i) {
    const auto start = std::chrono::steady_clock::now();
    for (std::uint64_t j = 0; j < inner; ++j) {
      const at::Tensor y = at::convolution(layer.input(), layer.weight(), {}, stride, padding,
                                           dilation, false, none, shape.groups);
      if (!train) continue;
      const auto gradients = at::convolution_backward(
          layer.gradient(), layer.input(), layer.weight(), c10::nullopt, stride, padding, dilation,
          false, none, shape.groups, {true, true, false});
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    seconds.push_back(taken.count() / static_cast<double>(inner));
  }
  return stats::median(seconds);
}

/// As micro/conv2d measures, in blocks, with the bare loop before or after each.
void compare_with_bare(Case& c) {
  const c10::Device device = torch_support::prepare(c);
  const imaging::Convolution shape = imaging::convolution(c.text("layer"), kImage);
  const torch_support::Passes passes = torch_support::passes_of(c.text("pass"));
  imaging::ConvolutionLayer layer(
      shape, {.batch = kBatch, .nhwc = c.text("layout") == "nhwc", .device = device});
  const int samples = *c.policy().iterations;
  std::uint64_t inner = 1;  // calls a sample, as the benchmark chose last
  for (int block = 0; block < kBlocks; ++block) {
    const std::string metric = fmt::format("time_{}", block);
    const auto measure = [&] {
      c.measure(
          [&] {
            layer.run(passes);
            c.device().synchronize();
          },
          {.metric = metric, .inner = 0, .barrier = false, .warmup = 1, .secondary = block > 0});
      inner = c.result().find(metric)->samples.inner;
      return median_of(c.result(), *c.result().find(metric));
    };
    double ours = 0, bare = 0;
    if (block % 2 == 0) {
      ours = measure();
      layer.run(passes);
      bare = time_bare(layer, shape, passes.backward, samples, inner);
    } else {
      time_bare(layer, shape, passes.backward, 1, 1);
      bare = time_bare(layer, shape, passes.backward, samples, inner);
      ours = measure();
    }
    ratios_of_case.push_back(ours / bare);
  }
}

void bare_conv2d(Case& c) {
  torch_support::run_body([&] { compare_with_bare(c); });
}

SCALEMARK_BENCHMARK("peers/bare_conv2d", bare_conv2d)
    .doc("micro/conv2d against a bare loop")
    .axis("layer", {.values = imaging::distinct_convolutions()})
    .axis("layout", {.values = {"nchw", "nhwc"}})
    .axis("pass", {.values = {"forward", "train"}})
    .compute_axes()
    .ranks(1)
    .rank_local();

TEST(BareConv2d, TheBenchmarkAddsLessThanTwoPercent) {
  ratios_of_case.clear();
  const auto results = test::run_cases("peers/bare_conv2d", {}, 7);
  ASSERT_EQ(ratios_of_case.size(), results.size() * kBlocks);
  std::vector<double> shapes;
  for (std::size_t i = 0; i < results.size(); ++i) {
    ASSERT_EQ(results[i].status, Status::ok) << results[i].reason;
    const auto first = ratios_of_case.begin() + static_cast<std::ptrdiff_t>(i) * kBlocks;
    const std::vector<double> blocks(first, first + kBlocks);
    const stats::Interval shape = stats::median_interval(blocks);
    shapes.push_back(stats::median(blocks));
    fmt::print("{:.4f} [{:.4f}, {:.4f}]  {}\n", shapes.back(), shape.low, shape.high,
               results[i].key);
  }
  const stats::Interval all = stats::median_interval(shapes);
  fmt::print("median of {} shapes {:.4f} [{:.4f}, {:.4f}], from {:.4f} to {:.4f}\n", shapes.size(),
             stats::median(shapes), all.low, all.high, std::ranges::min(shapes),
             std::ranges::max(shapes));
  std::fflush(stdout);
  EXPECT_LE(all.low, 1 + kAllowed);
  EXPECT_GE(all.high, 1 - kAllowed);
}

}  // namespace
}  // namespace scalemark::micro
