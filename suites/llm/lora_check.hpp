// SPDX-License-Identifier: Apache-2.0
// What must hold for a layer with fresh LoRA adapters, whatever its size and device.
#pragma once

#include <cstdint>

#include "suites/llm/llama.hpp"

namespace scalemark::llm {

inline constexpr const char* kLoraRule =
    "with B = 0: output equals the base layer exactly, A's gradient is zero, B's gradient predicts "
    "the change of the loss within 1 % (fp32); three AdamW steps lower the loss";

struct Checked {
  std::uint64_t checked = 0, wrong = 0;
};

/// Checks kLoraRule on the mean squared distance between layer(x) and target. Sets every lora_b to
/// zero first and leaves the adapters trained by three steps.
Checked check_lora_layer(DecoderLayer& layer, const torch::Tensor& x_bsd,
                         const torch::Tensor& target_bsd, const Positions& positions);

}  // namespace scalemark::llm
