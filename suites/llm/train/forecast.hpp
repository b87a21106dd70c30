// SPDX-License-Identifier: Apache-2.0
// What a point of llm/finetune will need, move and compute.
#pragma once

#include <cstdint>
#include <vector>

#include "common/core/benchmark.hpp"
#include "suites/llm/model/config.hpp"

namespace scalemark::llm {

/// Bytes a rank needs for micro-batches whose widest row, with its padding, has `width` tokens;
/// `config` may have another vocabulary than the point's model.
std::uint64_t predicted_memory(const Params& params, const LlamaConfig& config, std::int64_t width);

/// The same before the rows are known: rows as long as axis `sequence` allows, or of 512 tokens.
std::uint64_t expected_memory(const Params& params);

/// Of a step of a rank, with rows as for expected_memory(): bytes of tokens and labels (loads), of
/// DDP's gradients or what Fsdp's ranks send ((ranks - 1) / ranks of the trained; reduces) and
/// receive ((ranks - 1) / ranks of each unit for each pass; gathers), model FLOPs (computes).
std::vector<Forecast> forecast_step(const Params& params);

}  // namespace scalemark::llm
