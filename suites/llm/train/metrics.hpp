// SPDX-License-Identifier: Apache-2.0
// Metrics and facts of a fine-tuning.
#pragma once

#include <optional>

#include "common/core/case.hpp"
#include "suites/llm/model/config.hpp"
#include "suites/llm/train/loop.hpp"

namespace scalemark::llm {

/// Collective. Records settings that the axes do not show, and the traffic.
void record_facts(Case& c, const Finetuner& finetuner, const LlamaConfig& config,
                  const History& history);

/// Collective. Records the metrics. Values that the objective observes become a series step_NAME,
/// and NAME, the mean of the last ten steps.
void record_finetuning(Case& c, const History& history);

/// Collective. `joules`: of this rank over all steps; empty if unknown.
void record_energy(Case& c, const History& history, const std::optional<double>& joules);

/// Collective. Records the peak, and how far the prediction for the widest batch was off.
void record_memory(Case& c, torch::Device device, std::uint64_t predicted);

}  // namespace scalemark::llm
