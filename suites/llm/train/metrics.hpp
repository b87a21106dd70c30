// SPDX-License-Identifier: Apache-2.0
// What is recorded of a fine-tuning.
#pragma once

#include <optional>

#include "common/core/case.hpp"
#include "suites/llm/model/config.hpp"
#include "suites/llm/train/loop.hpp"

namespace scalemark::llm {

/// Collective. Settings that the axes leave open, and what was moved.
void record_facts(Case& c, const Finetuner& finetuner, const LlamaConfig& config,
                  const History& history);

/// Collective. The metrics; what the objective observed as a series, step_NAME, and as the mean of
/// the last ten steps, NAME.
void record_finetuning(Case& c, const History& history);

/// Collective. `joules`: of this rank over all steps; nothing where they are not known.
void record_energy(Case& c, const History& history, const std::optional<double>& joules);

/// Collective. The peak, and how far the prediction for the widest batch that came was from it.
void record_memory(Case& c, torch::Device device, std::uint64_t predicted);

}  // namespace scalemark::llm
