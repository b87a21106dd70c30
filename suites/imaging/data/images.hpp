// SPDX-License-Identifier: Apache-2.0
// Image preparation: from stored pixels to the network's input.
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "suites/imaging/data/mnist.hpp"

namespace scalemark::imaging {

/// Pixels (uint8) / 255 as `type`.
at::Tensor scale(const at::Tensor& pixels, at::ScalarType type);
/// [n, c, h, w] -> [n, c, size, size], bilinear, corners not aligned, no antialiasing: the source
/// position of pixel j is max((j + 0.5) * in / size - 0.5, 0).
at::Tensor upsample(const at::Tensor& images, std::int64_t size);
/// (x - mean) / std
at::Tensor normalise(const at::Tensor& images, double mean = kMnistMean, double std = kMnistStd);
/// [n, 1, h, w] -> [n, 3, h, w]: copies the channel three times, in memory layout `format`.
at::Tensor three_channels(const at::Tensor& images, at::MemoryFormat format);

}  // namespace scalemark::imaging
