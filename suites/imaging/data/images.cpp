// SPDX-License-Identifier: Apache-2.0
// Image preparation with LibTorch's operators.
#include "suites/imaging/data/images.hpp"

#include <ATen/ATen.h>

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

}  // namespace scalemark::imaging
