// SPDX-License-Identifier: Apache-2.0
// Resizing against cases worked by hand and against LibTorch's operators.
#include "suites/imaging/data/resample.hpp"

#include <cmath>
#include <thread>
#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "suites/imaging/data/images.hpp"

namespace scalemark::imaging {
namespace {

/// One image without normalisation; values / 255 as they are.
std::vector<double> resized(const std::vector<std::uint8_t>& pixels, std::int64_t rows,
                            std::int64_t columns, std::int64_t size) {
  const Resampler resampler(1, rows, columns, size, 0, 1);
  std::vector<double> values(static_cast<std::size_t>(resampler.output_size()), -9);
  resampler.run(pixels.data(), values.data(), Layout::nchw);
  return values;
}

std::vector<double> first_channel(const std::vector<double>& values) {
  return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 3)};
}

void expect_near(const std::vector<double>& got, const std::vector<double>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-15) << i;
}

/// Source positions of 4 out of 2 are 0 (cut off), 0.25, 0.75, 1.25 (cut off).
TEST(Resampler, EnlargesAsWorkedOutByHand) {
  const std::vector<double> row{0, 0.25, 0.75, 1};
  std::vector<double> want;
  for (const double down : row) {
    for (const double across : row) want.push_back(across * (1 - down) + (1 - across) * down);
  }
  const std::vector<double> got = resized({0, 255, 255, 0}, 2, 2, 4);
  expect_near(first_channel(got), want);
  for (std::size_t channel = 1; channel < 3; ++channel) {
    expect_near({got.begin() + static_cast<std::ptrdiff_t>(16 * channel),
                 got.begin() + static_cast<std::ptrdiff_t>(16 * channel + 16)},
                want);
  }
}

/// Positions of 2 out of 4 are 0.5 and 2.5, of 2 out of 1 both 0.
TEST(Resampler, ReducesAsWorkedOutByHand) {
  expect_near(first_channel(resized({0, 51, 102, 204}, 1, 4, 2)), {0.1, 0.6, 0.1, 0.6});
  expect_near(first_channel(resized({0, 51, 102, 204}, 4, 1, 2)), {0.1, 0.1, 0.6, 0.6});
}

TEST(Resampler, NormalisesEveryByte) {
  const Resampler resampler(1, 1, 1, 1, kMnistMean, kMnistStd);
  for (int byte = 0; byte < 256; ++byte) {
    const auto pixel = static_cast<std::uint8_t>(byte);
    std::vector<double> values(3);
    resampler.run(&pixel, values.data(), Layout::nhwc);
    for (const double value : values)
      EXPECT_DOUBLE_EQ(value, (byte / 255.0 - 0.1307) / 0.3081) << byte;
  }
}

struct Shape {
  std::int64_t channels, rows, columns;
};

/// LibTorch's result for pixels [n, channels, rows, columns], contiguous in NCHW.
at::Tensor reference(const at::Tensor& pixels, std::int64_t size, at::ScalarType type) {
  const at::Tensor images = upsample(normalise(scale(pixels, type)), size);
  return images.expand({-1, 3, -1, -1}).contiguous();
}

template <typename T>
at::Tensor ours(const at::Tensor& pixels, std::int64_t size, Layout layout) {
  const Resampler resampler(pixels.size(1), pixels.size(2), pixels.size(3), size, kMnistMean,
                            kMnistStd);
  EXPECT_EQ(resampler.input_size(), pixels[0].numel());
  at::Tensor values = at::empty(
      {pixels.size(0), 3, size, size}, c10::CppTypeToScalarType<T>::value,
      layout == Layout::nhwc ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous);
  values.fill_(NAN);
  // Counted back from here, so that a value too many would be seen in the image before.
  for (std::int64_t i = pixels.size(0) - 1; i >= 0; --i) {
    resampler.run(pixels.const_data_ptr<std::uint8_t>() + i * resampler.input_size(),
                  values.mutable_data_ptr<T>() + i * resampler.output_size(), layout);
  }
  return values;
}

double largest_pixel_difference(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor difference = a.to(at::kDouble) - b.to(at::kDouble);
  EXPECT_FALSE(difference.isnan().any().item<bool>());
  return difference.abs().max().item<double>();
}

TEST(Resampler, EqualsLibTorch) {
  at::manual_seed(5);
  for (const Shape& shape : {Shape{1, 28, 28}, {3, 28, 28}, {1, 20, 37}, {3, 37, 20}}) {
    const at::Tensor pixels =
        at::randint(256, {2, shape.channels, shape.rows, shape.columns}, at::kByte);
    for (const std::int64_t size : {28, 32, 100, 101, 20}) {
      const at::Tensor want = reference(pixels, size, at::kDouble);
      for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
        SCOPED_TRACE(std::to_string(shape.channels) + " x " + std::to_string(shape.rows) + " x " +
                     std::to_string(shape.columns) + " to " + std::to_string(size));
        // Normalised values lie between -0.43 and 2.83.
        EXPECT_LT(largest_pixel_difference(ours<double>(pixels, size, layout), want), 2e-14);
        EXPECT_LT(largest_pixel_difference(ours<float>(pixels, size, layout), want), 1e-6);
        EXPECT_LT(largest_pixel_difference(ours<float>(pixels, size, layout),
                                           reference(pixels, size, at::kFloat)),
                  1e-5)
            << "LibTorch computes positions in fp32: errors of 2e-6, times slopes of 3.2";
      }
    }
  }
}

/// Layouts differ in nothing but the place in memory.
TEST(Resampler, BothLayoutsHoldTheSameBits) {
  const at::Tensor pixels = at::randint(256, {2, 3, 28, 28}, at::kByte);
  EXPECT_TRUE(
      at::equal(ours<float>(pixels, 33, Layout::nchw), ours<float>(pixels, 33, Layout::nhwc)));
}

/// One object in many threads, with others of other widths in between.
TEST(Resampler, ThreadsMayShareIt) {
  const at::Tensor pixels = at::randint(256, {1, 1, 28, 28}, at::kByte);
  const auto* bytes = pixels.const_data_ptr<std::uint8_t>();
  const Resampler large(1, 28, 28, 50, 0, 1), small(1, 28, 28, 30, 0, 1);
  const auto run = [&](const Resampler& resampler) {
    std::vector<float> values(static_cast<std::size_t>(resampler.output_size()));
    resampler.run(bytes, values.data(), Layout::nhwc);
    return values;
  };
  const std::vector<float> want_large = run(large), want_small = run(small);
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int repeat = 0; repeat < 50; ++repeat) {
        if (run(large) != want_large) ++wrong[i];
        if (run(small) != want_small) ++wrong[i];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

}  // namespace
}  // namespace scalemark::imaging
