// SPDX-License-Identifier: Apache-2.0
// Saved state of a training between two steps: everything needed to resume, and its records.
#pragma once

#include "common/torch/training/training_state.hpp"
#include "suites/imaging/train/step.hpp"

namespace scalemark::imaging {

struct History;
struct Progress;

/// The state between two steps. Parameters, momentum and loss scale are equal on all ranks and go
/// to `shared`; buffers, random states and records go to `own`.
torch_support::SavedTraining pack_state(Trainer& trainer, const History& history,
                                        const Progress& progress);

/// Restores a saved state, so that the training resumes as if never interrupted. Throws InputError
/// if the state does not match.
void restore_state(const torch_support::SavedTraining& saved, Trainer& trainer, History& history,
                   Progress& progress);

}  // namespace scalemark::imaging
