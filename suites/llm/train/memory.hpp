// SPDX-License-Identifier: Apache-2.0
// Predicts the memory of a fine-tuning from its configuration.
#pragma once

#include <cstdint>
#include <optional>

#include "suites/llm/model/config.hpp"

namespace scalemark::llm {

/// Sharding options of Fsdp.
struct MemorySharding {
  std::int64_t ranks = 1;
  bool reshard = true;
  std::int64_t prefetch = 1;
  bool offload = false;  ///< parts, their gradients and moments are in host memory
};

struct MemoryRequest {
  LlamaConfig config;
  bool lora = true;
  bool nf4 = false;             ///< the layers' base is quantised
  bool fake_quant = false;      ///< products use quantised copies of weight and input
  bool reference = false;       ///< a frozen copy of the model is the reference
  bool pairs = false;           ///< log-probabilities of whole rows instead of a loss in chunks
  bool packed = false;          ///< packed rows: attention has masks
  bool gradients_stay = false;  ///< gradients persist across steps or micro-batches
  std::int64_t element_bytes = 4;
  std::int64_t batch = 1, width = 1;  ///< rows of a micro-batch, with their padding
  bool checkpointing = false, fused_loss = false;
  bool fused = false;  ///< Llama::fuse
  /// LibTorch on CUDA: norms keep their inputs as they are, cuBLAS has workspaces; fused in 16
  /// bits, attention needs neither repeated heads nor masks.
  bool cuda = false;
  std::optional<MemorySharding> sharding;
};

/// Bytes per rank at the peak, by purpose.
struct MemoryPrediction {
  std::uint64_t weights = 0;      ///< with adapters and reference; this rank's parts where sharded
  std::uint64_t gradients = 0;    ///< of what is trained; with those being reduced where sharded
  std::uint64_t optimiser = 0;    ///< two moments
  std::uint64_t activations = 0;  ///< kept for the backward pass
  std::uint64_t temporaries = 0;  ///< largest at a time: logits and gradient, or product weights
  std::uint64_t gathered = 0;     ///< gathered parameters at a time, where sharded
  std::uint64_t workspaces = 0;   ///< of cuBLAS
  std::uint64_t total() const {
    return weights + gradients + optimiser + activations + temporaries + gathered + workspaces;
  }
};

MemoryPrediction predict_memory(const MemoryRequest& request);

/// Bytes of all layers with their adapters, and of embedding, last norm and head; each counted
/// once.
std::uint64_t layer_bytes(const MemoryRequest& request);
std::uint64_t root_bytes(const MemoryRequest& request);
/// Elements that the optimiser updates.
std::int64_t trained_elements(const MemoryRequest& request);

}  // namespace scalemark::llm
