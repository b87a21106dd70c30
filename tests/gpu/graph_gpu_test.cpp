// SPDX-License-Identifier: Apache-2.0
// Training steps through a CUDA graph are the steps without one.
#include <cmath>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "common/device/device.hpp"
#include "common/torch/step_graph.hpp"
#include "suites/imaging/train/step.hpp"

namespace scalemark::imaging {
namespace {

std::vector<double> losses(const TrainerOptions& options) {
  at::manual_seed(1);
  const auto trainer =
      make_trainer(std::make_shared<MobileNetV2>(MobileNetOptions{.dropout = 0}), options, nullptr);
  trainer->model().train();
  std::vector<double> values;
  for (int i = 0; i < 10; ++i) {
    const at::Tensor images =
        at::rand({8, 3, 64, 64}).to(options.device, options.precision.parameters);
    const at::Tensor labels = at::randint(10, {8}, at::kLong).to(options.device);
    values.push_back(
        trainer->step({images.contiguous(options.format), labels}).loss.item<double>());
  }
  return values;
}

TEST(CudaGraph, StepsAreThoseWithoutAGraph) {
  std::string why;
  if (device::cuda_device_count(&why) == 0) GTEST_SKIP() << why;
  for (const char* precision : {"fp64", "fp32", "bf16"}) {
    for (const auto format : {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
      TrainerOptions options;
      options.precision = torch_support::precision(precision);
      options.device = c10::Device(c10::kCUDA, 0);
      options.format = format;
      options.learning_rate = 1e-4;  // at larger ones rounding errors grow tenfold with each step
      const std::vector<double> plain = losses(options);
      options.graphs = true;
      const std::vector<double> recorded = losses(options);
      ASSERT_EQ(recorded.size(), plain.size());
      EXPECT_NE(plain.front(), plain.back()) << "it trains";
      // Kernels that add in no fixed order (weight gradients) differ in their last bits.
      const double tolerance = std::string(precision) == "fp64" ? 1e-9 : 2e-2;
      for (std::size_t i = 0; i < plain.size(); ++i)
        EXPECT_NEAR(recorded[i], plain[i], tolerance * std::abs(plain[i])) << precision << " " << i;
    }
  }
}

}  // namespace
}  // namespace scalemark::imaging
