// SPDX-License-Identifier: Apache-2.0
// Memory of a fine-tuning, predicted from its configuration.
#pragma once

#include <cstdint>

#include "suites/llm/config.hpp"

namespace scalemark::llm {

struct MemoryRequest {
  LlamaConfig config;
  bool lora = true;
  std::int64_t element_bytes = 4;
  std::int64_t batch = 1, width = 1;  ///< of a micro-batch, with its padding
  bool checkpointing = false, fused_loss = false;
};

/// Bytes a rank, by what they are for.
struct MemoryPrediction {
  std::uint64_t weights = 0;      ///< with the adapters
  std::uint64_t gradients = 0;    ///< of what is trained
  std::uint64_t optimiser = 0;    ///< two moments
  std::uint64_t activations = 0;  ///< kept for the backward pass
  std::uint64_t temporaries = 0;  ///< the largest beside them: logits and their gradient
  std::uint64_t total() const {
    return weights + gradients + optimiser + activations + temporaries;
  }
};

MemoryPrediction predict_memory(const MemoryRequest& request);

}  // namespace scalemark::llm
