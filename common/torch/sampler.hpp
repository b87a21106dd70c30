// SPDX-License-Identifier: Apache-2.0
// Which samples each rank takes in an epoch.
#pragma once

#include <cstdint>
#include <vector>

namespace scalemark::torch_support {

/// Sample indices of `rank` in an epoch, as in PyTorch's DistributedSampler: a permutation seeded
/// with seed + epoch (the same on all ranks). It is padded from its start to a multiple of `ranks`
/// (or truncated to one: `drop_last`). Each rank takes every ranks-th index.
struct SamplerOptions {
  std::int64_t samples = 0, ranks = 1, rank = 0;
  std::uint64_t seed = 0, epoch = 0;
  bool shuffle = true, drop_last = false;
};
std::vector<std::int64_t> sampler_indices(const SamplerOptions& options);

}  // namespace scalemark::torch_support
