// SPDX-License-Identifier: Apache-2.0
// Saved state of a training between two steps: everything needed to resume, and its records.
#pragma once

#include "common/core/case.hpp"
#include "common/torch/training_state.hpp"
#include "suites/imaging/train/step.hpp"

namespace scalemark::imaging {

struct History;
struct Progress;

/// Collective. Stores the state until the case is finished. Parameters, momentum and loss scale are
/// equal on all ranks and stored once; buffers, random states and records are stored per rank.
void save(Case& c, Trainer& trainer, const History& history, const Progress& progress);

/// Restores a saved state, so that the training resumes as if never interrupted. Throws InputError
/// if the state does not match.
void restore(const torch_support::SavedTraining& saved, Trainer& trainer, History& history,
             Progress& progress);

}  // namespace scalemark::imaging
