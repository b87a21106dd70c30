// SPDX-License-Identifier: Apache-2.0
// A trainer that launches each step as one CUDA graph.
#pragma once

#include <memory>

#include "common/torch/step_graph.hpp"
#include "suites/imaging/train/step.hpp"

namespace scalemark::imaging {

/// Runs the same steps as `trainer`. The first steps launch kernel by kernel; the next step is
/// captured; from then on the graph is launched. All batches must have the shape of the first.
std::unique_ptr<Trainer> make_graph_trainer(std::unique_ptr<Trainer> trainer,
                                            std::unique_ptr<torch_support::StepGraph> graph);

}  // namespace scalemark::imaging
