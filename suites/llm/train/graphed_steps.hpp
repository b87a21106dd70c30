// SPDX-License-Identifier: Apache-2.0
// A training's work on a GPU as CUDA graphs: one for each shape of micro-batches, one for the
// update.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "common/torch/step_graph.hpp"
#include "suites/llm/train/token_loader.hpp"

namespace scalemark::llm {

/// Work is done as it is the first times, so that allocators, libraries and autograd settle, then
/// recorded and launched as a whole. All of it finds gradients, parameters and sums where they were
/// when it was recorded.
class GraphedSteps {
 public:
  /// Makes a graph that may share memory with the one given, if any.
  using MakeGraph =
      std::function<std::unique_ptr<torch_support::StepGraph>(const torch_support::StepGraph*)>;
  explicit GraphedSteps(MakeGraph make_graph) : make_graph_(std::move(make_graph)) {}

  /// Calls `work` on a copy of `examples` that is always in the same place, or launches what was
  /// recorded of it. `work` must be the same each time.
  void accumulate(const Examples& examples, const std::function<void(const Examples&)>& work);
  void update(const std::function<void()>& work);

  /// Recorded so far.
  std::int64_t graphs() const { return graphs_; }

 private:
  struct Recording {
    std::unique_ptr<torch_support::StepGraph> graph;
    std::int64_t done = 0;
  };
  struct Bucket {
    Examples fixed;
    Recording recording;
  };
  /// Rows, width, sequences, pairs.
  using Shape = std::array<std::int64_t, 4>;

  void run(Recording& recording, const std::function<void()>& work);

  MakeGraph make_graph_;
  std::map<Shape, Bucket> buckets_;
  Recording update_;
  const torch_support::StepGraph* first_ = nullptr;
  std::int64_t graphs_ = 0;
};

}  // namespace scalemark::llm
