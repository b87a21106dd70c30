// SPDX-License-Identifier: Apache-2.0
// From stored pixels to the network's input, and the order in which a rank sees the images.
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

namespace scalemark::imaging {

/// MNIST's mean and standard deviation of pixels in [0, 1].
inline constexpr double kMnistMean = 0.1307, kMnistStd = 0.3081;

/// Pixels (uint8) / 255 as `type`.
at::Tensor scale(const at::Tensor& pixels, at::ScalarType type);
/// [n, c, h, w] -> [n, c, size, size], bilinear, corners not aligned, no antialiasing: the source
/// position of pixel j is max((j + 0.5) * in / size - 0.5, 0).
at::Tensor upsample(const at::Tensor& images, std::int64_t size);
/// (x - mean) / std
at::Tensor normalise(const at::Tensor& images, double mean = kMnistMean, double std = kMnistStd);
/// [n, 1, h, w] -> [n, 3, h, w], three equal channels in memory of their own, in layout `format`.
at::Tensor three_channels(const at::Tensor& images, at::MemoryFormat format);

/// Sample indices of `rank` in an epoch, as PyTorch's DistributedSampler gives them: a permutation
/// by seed + epoch (the same on all ranks), padded from its start to a multiple of `ranks` (or cut
/// to one: `drop_last`), of which the rank takes every ranks-th.
struct SamplerOptions {
  std::int64_t samples = 0, ranks = 1, rank = 0;
  std::uint64_t seed = 0, epoch = 0;
  bool shuffle = true, drop_last = false;
};
std::vector<std::int64_t> sampler_indices(const SamplerOptions& options);

}  // namespace scalemark::imaging
