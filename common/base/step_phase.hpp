// SPDX-License-Identifier: Apache-2.0
// Phases of a training step.
#pragma once

#include <array>

namespace scalemark {

/// Phases of a training step: forward and backward pass; then what is done with all gradients, and
/// the optimiser. A row with gradients measures both passes, so that these are one phase.
enum class StepPhase { passes, update };

/// In their order.
inline constexpr std::array<StepPhase, 2> kStepPhases{StepPhase::passes, StepPhase::update};

/// "passes", "update".
constexpr const char* name_of(StepPhase phase) {
  return phase == StepPhase::passes ? "passes" : "update";
}

}  // namespace scalemark
