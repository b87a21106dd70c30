// SPDX-License-Identifier: Apache-2.0
// CUDA graphs of a training: one for each shape of micro-batches, and one for the update.
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

/// Work first runs eagerly a few times, so that allocators, libraries and autograd settle; then it
/// is recorded and launched as a graph. Gradients, parameters and sums must stay at the addresses
/// that were recorded.
class GraphedSteps {
 public:
  /// Makes a graph, which may share memory with the one given (null: none).
  using MakeGraph =
      std::function<std::unique_ptr<torch_support::StepGraph>(const torch_support::StepGraph*)>;
  explicit GraphedSteps(MakeGraph make_graph) : make_graph_(std::move(make_graph)) {}

  /// Copies `examples` to a fixed address and calls `work` on the copy, or launches the graph
  /// recorded from it. `work` must be the same in every call.
  void accumulate(const Examples& examples, const std::function<void(const Examples&)>& work);
  void update(const std::function<void()>& work);

  /// Number of graphs recorded so far.
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
