// SPDX-License-Identifier: Apache-2.0
// Steps through a graph are the steps without one. The graph here is a stand-in that runs what it
// has recorded; tests/gpu has the same with CUDA's.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "suites/imaging/train/graph_step.hpp"
#include "tests/support/running_graph.hpp"

namespace scalemark::imaging {
namespace {

using test::RunningGraph;

std::vector<double> losses(bool graphs) {
  at::manual_seed(1);
  TrainerOptions options;
  auto trainer =
      make_trainer(std::make_shared<MobileNetV2>(MobileNetOptions{.dropout = 0}), options, nullptr);
  if (graphs) trainer = make_graph_trainer(std::move(trainer), std::make_unique<RunningGraph>());
  trainer->model().train();
  std::vector<double> values;
  for (int i = 0; i < 6; ++i) {
    const Batch batch{at::rand({4, 3, 32, 32}), at::randint(10, {4}, at::kLong)};
    values.push_back(trainer->step(batch).loss.item<double>());
  }
  return values;
}

TEST(GraphTrainer, StepsAreThoseWithoutAGraph) {
  const std::vector<double> plain = losses(false);
  EXPECT_EQ(losses(true), plain);
  EXPECT_EQ(RunningGraph::warm_ups, 3);
  EXPECT_EQ(RunningGraph::captures, 1);
  EXPECT_EQ(RunningGraph::launches, 3);
}

}  // namespace
}  // namespace scalemark::imaging
