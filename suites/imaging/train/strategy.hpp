// SPDX-License-Identifier: Apache-2.0
// Strategies of the two studies for distributing an epoch over ranks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace scalemark::imaging {

enum class Strategy {
  single,                        ///< one rank, no communication
  data_parallel_replicate,       ///< one process: the model is copied to all devices in each step
  data_parallel_persistent,      ///< the same; the copies are kept
  data_parallel_device_scatter,  ///< each device gets its part of the batch from the host
  ddp_full,                      ///< every rank trains on all samples
  ddp_rr,                        ///< each rank loads all batches and computes every n-th (n ranks)
  ddp_ds,                        ///< every rank loads and computes its share (DistributedSampler)
};
std::vector<std::string> strategy_names();
/// `name` is one of strategy_names(); throws Error otherwise.
Strategy strategy_from(const std::string& name);
/// One process drives all devices with threads.
bool is_data_parallel(Strategy strategy);
/// Gradients are reduced over the ranks.
bool is_ddp(Strategy strategy);

/// Batches of an epoch on one rank. All have `batch` samples; a smaller last batch is dropped,
/// because it would change the experiment.
struct EpochPlan {
  std::vector<std::int64_t> order;  ///< indices of the loaded samples, batch after batch
  std::int64_t loaded = 0;          ///< batches in `order`
  /// Computed batches among the loaded ones: first, first + every, ... below `loaded`.
  std::int64_t first = 0, every = 1;
  std::int64_t computed() const { return every > 0 ? (loaded - first + every - 1) / every : 0; }
};

struct EpochRequest {
  Strategy strategy = Strategy::single;
  std::int64_t samples = 0, batch = 1, ranks = 1, rank = 0;
  std::uint64_t seed = 0, epoch = 0;
};

/// Every rank computes the same number of batches. The order is DistributedSampler's: a permutation
/// by seed + epoch. ddp_ds loads this rank's share. ddp_rr loads all of it on every rank and drops
/// batches at the end that do not divide evenly. ddp_full gives each rank its own permutation of
/// all samples, as processes without a sampler have.
EpochPlan plan_epoch(const EpochRequest& request);

}  // namespace scalemark::imaging
