// SPDX-License-Identifier: Apache-2.0
// A trainer whose step is launched as one CUDA graph.
#pragma once

#include <memory>

#include "common/torch/step_graph.hpp"
#include "suites/imaging/train/step.hpp"

namespace scalemark::imaging {

/// The same steps as `trainer` makes: the first ones one kernel after the other, the next is
/// recorded, and from then on the record is launched. Batches must all have the shape of the first.
std::unique_ptr<Trainer> make_graph_trainer(std::unique_ptr<Trainer> trainer,
                                            std::unique_ptr<torch_support::StepGraph> graph);

}  // namespace scalemark::imaging
