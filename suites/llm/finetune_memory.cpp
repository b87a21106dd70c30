// SPDX-License-Identifier: Apache-2.0
// Memory of a fine-tuning. What is kept is counted operation by operation of llama.cpp.
#include "suites/llm/finetune_memory.hpp"

#include <algorithm>

namespace scalemark::llm {
namespace {

constexpr std::int64_t kLossRows = 256;  ///< of fused_loss_sum()

/// Elements that one layer keeps for each position.
std::int64_t kept_by_layer(const LlamaConfig& config, bool lora) {
  const std::int64_t kv_dim = config.kv_heads * config.head_dim();
  const LoraConfig adapters;
  // Each norm: its input in normal form and the result; the rotated q; k and v repeated to all
  // heads; attention's result as computed and as the next product takes it; the residual.
  std::int64_t kept =
      2 * 2 * config.dim + config.dim + 2 * config.dim + 2 * config.dim + config.dim;
  // w1's and w3's results, silu of the one, product of both.
  kept += 4 * config.ffn_dim;
  // Narrow products, before and after their factor.
  if (lora) kept += 2 * static_cast<std::int64_t>(adapters.modules.size()) * adapters.rank;
  return kept + (config.heads == config.kv_heads ? 0 : kv_dim);
}

/// Of `layers` layers of the base model, and of `rest` other elements.
std::uint64_t base_bytes(const MemoryRequest& request, std::int64_t layers, std::int64_t rest) {
  const ParameterCounts counts = count_parameters(request.config);
  const std::int64_t quantised = request.nf4 ? layers * counts.layer_linear : 0;
  // Codes of 4 bits, int8 scalers of 64 elements, factors of 256 scalers (nf4.hpp).
  return static_cast<std::uint64_t>(
      (layers * counts.per_layer + rest - quantised) * request.element_bytes + quantised / 2 +
      quantised / 64 + quantised / (64 * 256) * request.element_bytes);
}

/// Elements of embedding, last norm and head.
std::int64_t root_elements(const LlamaConfig& config) {
  const ParameterCounts counts = count_parameters(config);
  return counts.total - config.layers * counts.per_layer;
}

/// Elements of the largest weight that is made for a product and dropped behind it.
std::int64_t made_for_product(const MemoryRequest& request) {
  const LlamaConfig& config = request.config;
  if (request.nf4) return config.dim * config.ffn_dim;
  if (request.fake_quant) return config.dim * std::max(config.ffn_dim, config.vocab_size);
  return 0;
}

/// The root and the layers at work are whole; of gradients a whole that is collected, and one that
/// is under way.
void shard(MemoryPrediction& prediction, const MemoryRequest& request, std::int64_t trained) {
  const MemorySharding& sharding = *request.sharding;
  const ParameterCounts counts = count_parameters(request.config);
  const std::int64_t layers = request.config.layers,
                     adapters = request.lora ? count_lora_parameters(request.config, {}) : 0,
                     there = sharding.reshard ? std::min(layers, 1 + sharding.prefetch) : layers;
  const std::int64_t collected =
      request.lora ? adapters : std::max(counts.per_layer, counts.embedding);
  const auto ranks = static_cast<std::uint64_t>(sharding.ranks);
  const auto part = [&](std::uint64_t bytes) {
    return sharding.offload ? 0 : (bytes + ranks - 1) / ranks;
  };
  const auto bytes = [&](std::int64_t elements) {
    return static_cast<std::uint64_t>(elements * request.element_bytes);
  };
  prediction.weights = part(prediction.weights);
  prediction.optimiser = part(prediction.optimiser);
  // Layers that stayed whole go one by one, faster than parts of gradients come.
  prediction.gradients = bytes(2 * collected) + (sharding.reshard ? part(bytes(trained)) : 0);
  const std::int64_t root = root_elements(request.config);
  prediction.gathered = base_bytes(request, there, root) + bytes(there * adapters);
  // It computed before, and all of it that was kept is still there.
  if (request.reference)
    prediction.gathered += base_bytes(request, sharding.reshard ? 0 : layers, root);
}

}  // namespace

MemoryPrediction predict_memory(const MemoryRequest& request) {
  const LlamaConfig& config = request.config;
  const std::int64_t adapters =
      request.lora ? config.layers * count_lora_parameters(config, {}) : 0;
  const std::int64_t base = count_parameters(config).total;
  const std::int64_t trained = request.lora ? adapters : base;
  const std::int64_t positions = request.batch * request.width;
  const std::int64_t layer = kept_by_layer(config, request.lora);
  const std::int64_t kept =
      request.checkpointing ? config.layers * config.dim + layer : config.layers * layer;
  const std::int64_t logits =
      config.vocab_size * (request.fused_loss ? std::min(kLossRows, positions) : positions);
  const auto bytes = [&](std::int64_t elements) {
    return static_cast<std::uint64_t>(elements * request.element_bytes);
  };
  MemoryPrediction prediction;
  prediction.weights =
      (request.reference ? 2 : 1) * base_bytes(request, config.layers, root_elements(config)) +
      bytes(adapters);
  prediction.gradients = bytes(trained);
  prediction.optimiser = bytes(2 * trained);
  prediction.activations = bytes(positions * kept);
  // Logits, their logarithms of the softmax by chunk, and the gradient; or, at another time, a
  // weight that is made for a product, of the head's beside the logits.
  const std::int64_t loss = (request.fused_loss ? 2 : 3) * logits;
  prediction.temporaries =
      bytes(std::max(loss, made_for_product(request) + (request.fake_quant ? logits : 0)));
  if (request.sharding) shard(prediction, request, trained);
  return prediction;
}

}  // namespace scalemark::llm
