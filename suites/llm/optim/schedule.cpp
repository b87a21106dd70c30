// SPDX-License-Identifier: Apache-2.0
// Learning-rate schedule of fine-tuning.
#include "suites/llm/optim/schedule.hpp"

#include <cmath>
#include <numbers>

namespace scalemark::llm {

double cosine_with_warmup(std::int64_t step, std::int64_t warmup_steps, std::int64_t total_steps) {
  if (step < warmup_steps) return static_cast<double>(step) / static_cast<double>(warmup_steps);
  if (step >= total_steps) return 0;
  const double progress =
      static_cast<double>(step - warmup_steps) / static_cast<double>(total_steps - warmup_steps);
  return 0.5 * (1 + std::cos(std::numbers::pi * progress));
}

}  // namespace scalemark::llm
