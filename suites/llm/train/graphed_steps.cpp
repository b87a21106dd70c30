// SPDX-License-Identifier: Apache-2.0
// Records and launches a training's work as CUDA graphs.
#include "suites/llm/train/graphed_steps.hpp"

#include <torch/utils.h>

namespace scalemark::llm {
namespace {

constexpr std::int64_t kWarmUp = 3;  ///< eager runs before recording, as is usual

void copy(torch::Tensor& to, const torch::Tensor& from) {
  if (!to.defined()) to = torch::empty_like(from);
  to.copy_(from, /*non_blocking=*/true);
}

}  // namespace

void GraphedSteps::accumulate(const Examples& examples,
                              const std::function<void(const Examples&)>& work) {
  const Shape shape{examples.tokens_bs.size(0), examples.tokens_bs.size(1),
                    examples.packing.defined() ? examples.packing.starts.size(0) : 0,
                    examples.pairs};
  Bucket& bucket = buckets_[shape];
  copy(bucket.fixed.tokens_bs, examples.tokens_bs);
  copy(bucket.fixed.shifted_bs, examples.shifted_bs);
  bucket.fixed.pairs = examples.pairs;
  if (examples.packing.defined()) {
    copy(bucket.fixed.packing.places_bs, examples.packing.places_bs);
    copy(bucket.fixed.packing.sequences_bs, examples.packing.sequences_bs);
    copy(bucket.fixed.packing.starts, examples.packing.starts);
  }
  run(bucket.recording, [work, &bucket] { work(bucket.fixed); });
}

void GraphedSteps::update(const std::function<void()>& work) { run(update_, work); }

void GraphedSteps::run(Recording& recording, const std::function<void()>& work) {
  if (!recording.graph) {
    recording.graph = make_graph_(first_);
    if (first_ == nullptr) first_ = recording.graph.get();
  }
  if (recording.done < kWarmUp) {
    recording.graph->warm_up(work);
  } else {
    if (recording.done == kWarmUp) {
      recording.graph->capture(work);
      ++graphs_;
    }
    recording.graph->launch();
  }
  ++recording.done;
}

}  // namespace scalemark::llm
