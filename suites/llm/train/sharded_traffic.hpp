// SPDX-License-Identifier: Apache-2.0
// What Fsdp sends in a step, from the model's shapes alone.
//
// A whole is one flat shard: the elements of one type among trained parameters, frozen ones or
// buffers of a layer, the embedding, the norm or the head, rounded up to a multiple of the ranks.
// Each forward pass gathers (ranks - 1) / ranks of it, and with `reshard` so does the backward pass
// of a layer. Each backward pass reduces as much of a trained whole.
#pragma once

#include <cstdint>

#include "common/core/workload.hpp"
#include "common/result/point.hpp"
#include "common/torch/parallel/fsdp.hpp"
#include "suites/llm/model/llama.hpp"

namespace scalemark::llm {

struct TrafficRequest {
  std::int64_t ranks = 1, micro_batches = 1;
  std::int64_t reference_passes = 0;  ///< forward passes per micro-batch without a backward pass
  bool frozen_copy = false;           ///< one such pass is of a frozen copy
  bool reshard = true;
};

/// Of a point of llm/finetune with `parallel=fsdp`.
TrafficRequest traffic_request(const Point& point);

/// Shapes of the model of a point, without values (device meta).
Llama model_shapes(const Point& point);

struct ShardedParts {
  std::int64_t elements = 0, tensors = 0;
};
/// What each rank trains: a flat part of each layer, and of each part of the model outside of them.
ShardedParts trained_parts(const Llama& model, std::int64_t ranks);

/// Traffic per step.
torch_support::FsdpTraffic expected_traffic(const Llama& model, const TrafficRequest& request);

/// The collectives of a step, as rows that measure them: all-gathers of parameters, of which
/// `bytes` is a rank's part; reduce-scatters of gradients, of which it is the whole; the all-reduce
/// of the squared norm.
Workload sharded_messages(const Llama& model, const TrafficRequest& request);

}  // namespace scalemark::llm
