// SPDX-License-Identifier: Apache-2.0
// The operations of a fine-tuning step, as rows of suite micro.
#pragma once

#include <cstdint>
#include <string>

#include "common/core/workload.hpp"

namespace scalemark::llm {

/// Products, adapters, attention, normalisations, elementwise operations, sums of gradients, loss,
/// embedding and optimiser of one step of llm/finetune at `point`, which must have no
/// why_unknown_operations(). Empty where rows of text vary in width (neither `packed`, nor
/// `pad_multiple` equal to `sequence`). Left out, for want of rows: masks of packed rows, the
/// optimiser in bf16, and sums of sharded gradients over micro-batches. Sharded, the optimiser has
/// this rank's part.
Workload finetuning_workload(const Point& point);

/// Why the operations of a step do not follow from the axes and the records of `point`; empty if
/// they do.
std::string why_unknown_operations(const Point& point);

/// Metrics of a fine-tuning that finetuning_workload() takes, each the mean of a step's
/// micro-batches. The width of the rows, with padding:
inline constexpr const char* kStepWidth = "step_width";
/// Tokens in the loss; in mode=tuned on a CPU only they meet the head:
inline constexpr const char* kStepLabels = "step_labels";
/// Tokens that a token is in one sequence with, itself among them; mean over all tokens. In flash
/// attention, work grows with it:
inline constexpr const char* kStepSequence = "step_sequence";
/// Fact of a fine-tuning: rows of the embedding and of the head.
inline constexpr const char* kVocabularyFact = "vocabulary";

/// The point of a fine-tuning whose rows of text all have this width.
Point with_width(Point training, std::int64_t width);

}  // namespace scalemark::llm
