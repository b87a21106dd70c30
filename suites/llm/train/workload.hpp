// SPDX-License-Identifier: Apache-2.0
// The operations of a fine-tuning step, as rows of suite micro.
#pragma once

#include "common/core/workload.hpp"

namespace scalemark::llm {

/// Products, attention, normalisations, elementwise operations, loss, embedding and optimiser of
/// one step of llm/finetune at `point`. Empty where the rows of a step do not follow from the axes:
/// other methods than lora and full, and rows of text whose width varies (neither `packed`, nor
/// `pad_multiple` equal to `sequence`). Left out, for want of rows: masks of packed rows, and the
/// optimiser in bf16. Sharded, the optimiser has this rank's part.
Workload finetuning_workload(const Point& point);

}  // namespace scalemark::llm
