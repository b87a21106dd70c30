// SPDX-License-Identifier: Apache-2.0
// How ranks divide the work of an epoch: the strategies of the two studies.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace scalemark::imaging {

enum class Strategy {
  single,                        ///< one rank, no communication
  data_parallel_replicate,       ///< one process: the model is copied to all devices in each step
  data_parallel_persistent,      ///< the same with copies that stay
  data_parallel_device_scatter,  ///< each device gets its part of the batch from the host
  ddp_full,                      ///< every rank trains on all samples
  ddp_rr,                        ///< every rank loads all batches and computes every W-th
  ddp_ds,                        ///< every rank loads and computes its share (DistributedSampler)
};
std::vector<std::string> strategy_names();
/// `name` is one of strategy_names(); else Error.
Strategy strategy_from(const std::string& name);
/// One process that drives all devices from threads.
bool is_data_parallel(Strategy strategy);
/// Gradients are reduced over the ranks.
bool is_ddp(Strategy strategy);

/// The batches of an epoch on one rank, all of `batch` samples (a smaller last one is left out: it
/// would be another experiment).
struct EpochPlan {
  std::vector<std::int64_t> order;  ///< indices of the samples that are loaded, batch after batch
  std::int64_t loaded = 0;          ///< batches in `order`
  /// Of the loaded batches, those that are computed: first, first + every, ... below `loaded`.
  std::int64_t first = 0, every = 1;
  std::int64_t computed() const { return every > 0 ? (loaded - first + every - 1) / every : 0; }
};

struct EpochRequest {
  Strategy strategy = Strategy::single;
  std::int64_t samples = 0, batch = 1, ranks = 1, rank = 0;
  std::uint64_t seed = 0, epoch = 0;
};

/// Every rank computes equally many batches. The order is DistributedSampler's (a permutation by
/// seed + epoch): ddp_ds takes this rank's share of it; ddp_rr loads the whole of it on all ranks,
/// and leaves out batches at its end that do not go round; ddp_full gives each rank a permutation
/// of its own of all samples, as processes without a sampler have.
EpochPlan plan_epoch(const EpochRequest& request);

}  // namespace scalemark::imaging
