// SPDX-License-Identifier: Apache-2.0
// The state of a fine-tuning between two steps: all that decides how it goes on, and what it
// recorded.
#pragma once

#include "common/core/case.hpp"
#include "common/torch/training_state.hpp"
#include "suites/llm/train/loop.hpp"
#include "suites/llm/train/step.hpp"

namespace scalemark::llm {

/// What a fine-tuning of this course would save now, as tensors: what is trained, with the
/// optimiser's moments, in `shared`, or in `own` where each rank trains another part of it
/// (course.sharded); random numbers and records in `own`. Shares memory with the model.
torch_support::SavedTraining pack_state(const Course& course, const Finetuner& finetuner,
                                        const History& history);

/// Puts it back: the training then goes on as if it had not been interrupted. Throws InputError if
/// the state is not of such a training, or of one that began elsewhere.
void restore(const torch_support::SavedTraining& saved, const Course& course, Finetuner& finetuner,
             History& history);

}  // namespace scalemark::llm
