// SPDX-License-Identifier: Apache-2.0
// Batches on a GPU are those of the host, also where the GPU reads them long after next() returned.
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/device/device.hpp"
#include "common/torch/sampler.hpp"
#include "suites/imaging/data/images.hpp"
#include "suites/imaging/loader/loader.hpp"

namespace scalemark::imaging {
namespace {

constexpr std::int64_t kSamples = 64;
const c10::Device kGpu(c10::kCUDA, 0);

/// Two epochs, of which the first is left in the middle. Nothing waits for the GPU in between.
void expect_equal_batches(const std::string& name, const Images& set, LoaderOptions options) {
  options.device = kGpu;
  options.workers = 2;
  options.mean = kMnistMean;
  options.std = kMnistStd;
  const auto loader = make_loader(name, set, options);
  loader->start(torch_support::sampler_indices({.samples = kSamples}));
  loader->next();
  const std::vector<std::int64_t> order =
      torch_support::sampler_indices({.samples = kSamples, .epoch = 1});
  loader->start(order);
  std::vector<Batch> copies;
  at::Tensor work = at::ones({2048, 2048}, kGpu);
  for (std::int64_t i = 0; i < kSamples / options.batch; ++i) {
    const Batch batch = loader->next();
    EXPECT_EQ(batch.images.device(), kGpu);
    for (int repeat = 0; repeat < 4; ++repeat) work = work.mm(work).clamp_(0, 1);
    copies.push_back({batch.images.clone(), batch.labels.clone()});
  }
  const at::Tensor which = at::tensor(order, at::kLong);
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const at::Tensor mine =
        which.narrow(0, static_cast<std::int64_t>(i) * options.batch, options.batch);
    LoaderOptions exact = options;
    exact.type = at::kDouble;
    const at::Tensor expected = prepare(set.pixels.index_select(0, mine), exact);
    // Where source positions are computed in fp32, see imaging/loader.
    const at::Tensor images = copies[i].images.cpu();
    EXPECT_TRUE(at::equal(copies[i].labels.cpu(), set.labels.index_select(0, mine))) << i;
    EXPECT_TRUE(images.is_contiguous(options.format));
    EXPECT_EQ(images.scalar_type(), options.type);
    EXPECT_LT((images - expected).abs().max().item<double>(), 5e-5) << i;
  }
}

void expect_equal_batches(const std::string& name) {
  std::string why;
  if (device::cuda_device_count(&why) == 0) GTEST_SKIP() << why;
  try {
    require_loader(name, kGpu);
  } catch (const Unavailable& missing) {
    GTEST_SKIP() << missing.what();
  }
  at::manual_seed(4);
  for (const std::int64_t channels : {1, 3}) {
    const Images set{at::randint(256, {kSamples, channels, 28, 28}, at::kByte),
                     at::arange(kSamples, at::kLong)};
    for (const std::int64_t image : {28, 100}) {
      for (const auto format : {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
        for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
          for (const bool pinned : {false, true}) {
            SCOPED_TRACE(name + ", image " + std::to_string(image) + (pinned ? ", pinned" : ""));
            expect_equal_batches(
                name, set,
                {.image = image, .batch = 4, .type = type, .format = format, .pin_memory = pinned});
          }
        }
      }
    }
  }
}

TEST(LoaderOnAGpu, ThreadsAsOnTheHost) { expect_equal_batches("threads"); }
TEST(LoaderOnAGpu, DaliAsOnTheHost) { expect_equal_batches("dali"); }
TEST(LoaderOnAGpu, DeviceAsOnTheHost) { expect_equal_batches("device"); }

}  // namespace
}  // namespace scalemark::imaging
