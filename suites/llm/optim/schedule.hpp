// SPDX-License-Identifier: Apache-2.0
// Learning-rate schedule of fine-tuning.
#pragma once

#include <cstdint>

namespace scalemark::llm {

/// Factor of the learning rate at `step`: linear from 0 to 1 over `warmup_steps`, then half a
/// cosine to 0 at `total_steps`, then 0.
double cosine_with_warmup(std::int64_t step, std::int64_t warmup_steps, std::int64_t total_steps);

}  // namespace scalemark::llm
