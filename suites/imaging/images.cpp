// SPDX-License-Identifier: Apache-2.0
// Preparation of images and the distributed order of samples, on LibTorch's operators.
#include "suites/imaging/images.hpp"

#include <numeric>

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

namespace scalemark::imaging {

at::Tensor scale(const at::Tensor& pixels, at::ScalarType type) {
  return pixels.to(type).div_(255);
}

at::Tensor upsample(const at::Tensor& images, std::int64_t size) {
  return at::upsample_bilinear2d(images, {size, size}, /*align_corners=*/false);
}

at::Tensor normalise(const at::Tensor& images, double mean, double std) {
  return images.sub(mean).div_(std);
}

at::Tensor three_channels(const at::Tensor& images, at::MemoryFormat format) {
  return images.expand({-1, 3, -1, -1}).contiguous(format);
}

std::vector<std::int64_t> sampler_indices(const SamplerOptions& options) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(options.samples));
  if (options.shuffle) {
    const auto shuffled =
        at::randperm(options.samples, at::detail::createCPUGenerator(options.seed + options.epoch),
                     at::TensorOptions(at::kLong));
    const auto* values = shuffled.const_data_ptr<std::int64_t>();
    order.assign(values, values + options.samples);
  } else {
    std::iota(order.begin(), order.end(), 0);
  }
  const auto rounds = options.drop_last ? options.samples / options.ranks
                                        : (options.samples + options.ranks - 1) / options.ranks;
  std::vector<std::int64_t> mine;
  mine.reserve(static_cast<std::size_t>(rounds));
  for (std::int64_t i = 0; i < rounds; ++i) {
    // Modulo pads by repeating the order from its start, as often as needed.
    const auto place = (i * options.ranks + options.rank) % options.samples;
    mine.push_back(order[static_cast<std::size_t>(place)]);
  }
  return mine;
}

}  // namespace scalemark::imaging
