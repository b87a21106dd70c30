// SPDX-License-Identifier: Apache-2.0
// Predicts memory, traffic and FLOPs of a point of llm/finetune.
#pragma once

#include <cstdint>
#include <vector>

#include "common/core/benchmark.hpp"
#include "suites/llm/model/config.hpp"

namespace scalemark::llm {

/// Bytes per rank for micro-batches whose widest row, with padding, has `width` tokens. `config`
/// may have another vocabulary than the point's model.
std::uint64_t predicted_memory(const Point& params, const LlamaConfig& config, std::int64_t width);

/// The same before the rows are known: assumes rows of axis `sequence` tokens, or 512.
std::uint64_t expected_memory(const Point& params);

/// Per step and rank, with rows as in expected_memory(): loads = bytes of tokens and labels;
/// reduces = bytes of DDP's gradients, or (ranks - 1) / ranks of the trained parameters that Fsdp
/// sends; gathers = (ranks - 1) / ranks of each unit that Fsdp receives per pass; computes = model
/// FLOPs.
std::vector<Forecast> forecast_step(const Point& params);

/// Whether gradients stay in memory of their own, so that those of each micro-batch are added to
/// it.
bool gradients_stay(const Point& params);

/// What the ranks exchange in a step: DDP its gradients, Fsdp also parameters, whose parts depend
/// on axis `ranks`. Empty for a single rank.
Workload step_communication(const Point& params);

}  // namespace scalemark::llm
