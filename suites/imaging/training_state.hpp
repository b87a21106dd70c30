// SPDX-License-Identifier: Apache-2.0
// The state of a training between two steps: all that decides how it goes on, and what it recorded.
#pragma once

#include <optional>

#include "common/core/case.hpp"
#include "common/torch/safetensors.hpp"
#include "suites/imaging/trainer.hpp"

namespace scalemark::imaging {

struct History;
struct Progress;

/// Parameters, momentum and loss scale are the same on all ranks and stand in `shared`; buffers,
/// random numbers and the records are each rank's `own`.
Case::State pack_state(Trainer& trainer, const History& history, const Progress& progress);

/// A state that was read back, not yet looked into.
struct SavedTraining {
  torch_support::NamedTensors shared, own;
};

/// Collective. What an earlier run left of this case, if anything. Throws InputError if that is
/// damaged.
std::optional<SavedTraining> saved_training(const Case& c);

/// Puts it back: the training then goes on as if it had not been interrupted. Throws InputError if
/// the state is not of such a training.
void restore(const SavedTraining& saved, Trainer& trainer, History& history, Progress& progress);

}  // namespace scalemark::imaging
