// SPDX-License-Identifier: Apache-2.0
// Memory of a fine-tuning, predicted from its configuration.
#pragma once

#include <cstdint>

#include "suites/llm/config.hpp"

namespace scalemark::llm {

struct MemoryRequest {
  LlamaConfig config;
  bool lora = true;
  bool nf4 = false;         ///< the layers' base is quantised
  bool fake_quant = false;  ///< products of quantised copies of weight and input
  bool reference = false;   ///< a frozen copy of the model stands beside it
  std::int64_t element_bytes = 4;
  std::int64_t batch = 1, width = 1;  ///< rows of a micro-batch, with their padding
  bool checkpointing = false, fused_loss = false;
};

/// Bytes a rank, by what they are for.
struct MemoryPrediction {
  std::uint64_t weights = 0;      ///< with the adapters and the reference
  std::uint64_t gradients = 0;    ///< of what is trained
  std::uint64_t optimiser = 0;    ///< two moments
  std::uint64_t activations = 0;  ///< kept for the backward pass
  std::uint64_t temporaries = 0;  ///< the largest beside them: logits and their gradient, weights
                                  ///< made for a product
  std::uint64_t total() const {
    return weights + gradients + optimiser + activations + temporaries;
  }
};

MemoryPrediction predict_memory(const MemoryRequest& request);

}  // namespace scalemark::llm
