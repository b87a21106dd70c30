// SPDX-License-Identifier: Apache-2.0
// The state of a training between two steps: all that decides how it goes on, and what it recorded.
#pragma once

#include "common/core/case.hpp"
#include "common/torch/training_state.hpp"
#include "suites/imaging/train/step.hpp"

namespace scalemark::imaging {

struct History;
struct Progress;

/// Collective. Keeps it until the case is finished: parameters, momentum and loss scale are the
/// same on all ranks; buffers, random numbers and the records are each rank's own.
void save(Case& c, Trainer& trainer, const History& history, const Progress& progress);

/// Puts it back: the training then goes on as if it had not been interrupted. Throws InputError if
/// the state is not of such a training.
void restore(const torch_support::SavedTraining& saved, Trainer& trainer, History& history,
             Progress& progress);

}  // namespace scalemark::imaging
