// SPDX-License-Identifier: Apache-2.0
// Checkpoints of a fine-tuning between two steps: everything that determines the next steps, and
// the records so far.
#pragma once

#include "common/torch/training/training_state.hpp"
#include "suites/llm/train/loop.hpp"
#include "suites/llm/train/step.hpp"

namespace scalemark::llm {

/// The checkpoint of the current state. Trained parameters and optimiser moments go to `shared`, or
/// to `own` if each rank trains a different part (settings.sharded). Random states and records go
/// to `own`. The tensors share memory with the model.
torch_support::SavedTraining pack_state(const TrainingSettings& settings,
                                        const Finetuner& finetuner, const History& history);

/// Restores the state: the training then continues as if it had not been interrupted. Throws
/// InputError if the checkpoint belongs to another kind of training, or to other initial weights.
void restore_state(const torch_support::SavedTraining& saved, const TrainingSettings& settings,
                   Finetuner& finetuner, History& history);

}  // namespace scalemark::llm
