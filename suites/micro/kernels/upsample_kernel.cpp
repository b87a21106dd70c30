// SPDX-License-Identifier: Apache-2.0
// Kernel: up-samples MNIST images to the network's input as the loader does, on one thread.
#include <algorithm>
#include <cmath>
#include <vector>

#include "suites/imaging/data/mnist.hpp"
#include "suites/imaging/data/resample.hpp"
#include "suites/micro/kernels/kernel.hpp"

namespace scalemark::micro::kernels {
namespace {

constexpr std::int64_t kImages = 8;
constexpr double kTolerance = 1e-5;

struct Picture {
  const std::uint8_t* pixels;
  std::int64_t rows, columns;

  /// Reference value by bilinear interpolation without aligned corners (see Resampler).
  double at(std::int64_t row, std::int64_t column, std::int64_t size) const {
    const auto place = [&](std::int64_t j, std::int64_t in) {
      return std::max(
          (static_cast<double>(j) + 0.5) * static_cast<double>(in) / static_cast<double>(size) -
              0.5,
          0.0);
    };
    const double y = place(row, rows), x = place(column, columns);
    const auto top = static_cast<std::int64_t>(y), left = static_cast<std::int64_t>(x);
    const double down = y - static_cast<double>(top), right = x - static_cast<double>(left);
    const auto pixel = [&](std::int64_t r, std::int64_t c) {
      return static_cast<double>(
          pixels[std::min(r, rows - 1) * columns + std::min(c, columns - 1)]);
    };
    const double value =
        (1 - down) * ((1 - right) * pixel(top, left) + right * pixel(top, left + 1)) +
        down * ((1 - right) * pixel(top + 1, left) + right * pixel(top + 1, left + 1));
    return (value / 255 - imaging::kMnistMean) / imaging::kMnistStd;
  }
};

std::uint64_t wrong_values(const Picture& picture, const float* values, imaging::Layout layout,
                           std::int64_t size) {
  std::uint64_t wrong = 0;
  for (std::int64_t i = 0; i < size * size; ++i) {
    const double want = picture.at(i / size, i % size, size);
    for (std::int64_t channel = 0; channel < 3; ++channel) {
      const float got =
          values[layout == imaging::Layout::nhwc ? i * 3 + channel : channel * size * size + i];
      // `<=`, so that NaN counts as wrong.
      wrong += std::abs(got - want) <= kTolerance * std::max(1.0, std::abs(want)) ? 0 : 1;
    }
  }
  return wrong;
}

void run_upsample(benchmark::State& state, std::int64_t size, imaging::Layout layout) {
  static const imaging::Mnist mnist = imaging::load_mnist();
  const imaging::Idx& images = mnist.train.images;
  const std::int64_t rows = images.shape.at(1), columns = images.shape.at(2);
  const imaging::Resampler resampler(1, rows, columns, size, imaging::kMnistMean,
                                     imaging::kMnistStd);
  const std::uint8_t* pixels = images.values.data();
  std::vector<float> values(static_cast<std::size_t>(kImages * resampler.output_size()), -100.0F);
  for (auto _ : state) {
    for (std::int64_t i = 0; i < kImages; ++i)
      resampler.run(pixels + i * resampler.input_size(),
                    values.data() + i * resampler.output_size(), layout);
    benchmark::DoNotOptimize(values.data());
    benchmark::ClobberMemory();
  }
  std::uint64_t wrong = 0;
  for (std::int64_t i = 0; i < kImages; ++i)
    wrong += wrong_values({pixels + i * resampler.input_size(), rows, columns},
                          values.data() + i * resampler.output_size(), layout, size);
  set_checked(state, values.size(), wrong, "every value against the definition, within 1e-5");
  set_work(state, {.bytes = static_cast<double>(values.size() * sizeof(float)) +
                            static_cast<double>(kImages * resampler.input_size()),
                   .items = static_cast<double>(kImages)});
}

[[maybe_unused]] const bool kUpsampleAdded = [] {
  for (const std::int64_t size : {100, 224, 300, 500, 700}) {
    for (const imaging::Layout layout : {imaging::Layout::nchw, imaging::Layout::nhwc})
      add("upsample",
          {{"image", size},
           {"layout", std::string(layout == imaging::Layout::nhwc ? "nhwc" : "nchw")}},
          [=](benchmark::State& state) { run_upsample(state, size, layout); });
  }
  return true;
}();

}  // namespace
}  // namespace scalemark::micro::kernels
