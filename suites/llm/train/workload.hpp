// SPDX-License-Identifier: Apache-2.0
// The operations of a fine-tuning step, as rows of suite micro.
#pragma once

#include <cstdint>

#include "common/core/workload.hpp"

namespace scalemark::llm {

/// Products, attention, normalisations, elementwise operations, loss, embedding and optimiser of
/// one step of llm/finetune at `point`. Empty where they do not follow from the axes: rows of text
/// whose width varies (neither `packed`, nor `pad_multiple` equal to `sequence`), and answers in
/// mode=tuned. Left out, for want of rows: masks of packed rows, and the optimiser in bf16.
/// Sharded, the optimiser has this rank's part.
Workload finetuning_workload(const Point& point);

/// Metric of a fine-tuning: the width of a step's rows, with padding, mean of its micro-batches.
inline constexpr const char* kStepWidth = "step_width";

/// The point of a fine-tuning whose rows of text all have this width.
Point with_width(Point training, std::int64_t width);

}  // namespace scalemark::llm
