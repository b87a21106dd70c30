// SPDX-License-Identifier: Apache-2.0
// Which samples each rank takes in an epoch.
#pragma once

#include <cstdint>
#include <vector>

namespace scalemark::torch_support {

/// Sample indices of `rank` in an epoch, as PyTorch's DistributedSampler gives them: a permutation
/// by seed + epoch (the same on all ranks), padded from its start to a multiple of `ranks` (or cut
/// to one: `drop_last`), of which the rank takes every ranks-th.
struct SamplerOptions {
  std::int64_t samples = 0, ranks = 1, rank = 0;
  std::uint64_t seed = 0, epoch = 0;
  bool shuffle = true, drop_last = false;
};
std::vector<std::int64_t> sampler_indices(const SamplerOptions& options);

}  // namespace scalemark::torch_support
