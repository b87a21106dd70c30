// SPDX-License-Identifier: Apache-2.0
// Sizes of Llama3 models and what follows from them: parameter counts, FLOPs, memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace scalemark::llm {

struct LlamaConfig {
  std::int64_t vocab_size = 0, dim = 0, layers = 0, heads = 0, kv_heads = 0, ffn_dim = 0;
  std::int64_t max_seq_len = 0;
  double rope_base = 500'000;
  double rope_scale = 1;  ///< long-context scaling of the rotary frequencies; 1 = none
  double norm_eps = 1e-5;
  bool tied_output = false;  ///< the output head is the embedding
  /// Tensor parallelism: ranks that share each layer's heads and inner rows of the feed-forward,
  /// and the rows of an output head that is not the embedding.
  std::int64_t shards = 1;

  std::int64_t head_dim() const { return dim / heads; }
  /// Of one rank.
  std::int64_t query_dim() const { return dim / shards; }
  std::int64_t key_dim() const { return kv_heads / shards * head_dim(); }
  std::int64_t inner_dim() const { return ffn_dim / shards; }
};

/// Throws InputError, naming `source`, for sizes that are invalid or do not divide.
void check(const LlamaConfig& config, const std::string& source);

/// 8b = Llama 3, 3b and 1b = Llama 3.2, 110m and tiny for machines without a GPU. Throws
/// UsageError.
LlamaConfig llama_config(const std::string& name);
/// The names, smallest first.
const std::vector<std::string>& llama_names();

struct LoraConfig {
  std::int64_t rank = 8;
  double alpha = 16;
  std::vector<std::string> modules = {"q_proj", "v_proj", "output_proj", "w1", "w2", "w3"};
};

/// Parameter counts by formula, of one rank; allocates nothing.
struct ParameterCounts {
  std::int64_t layer_linear = 0;  ///< weights of one layer's seven matrices
  std::int64_t per_layer = 0;     ///< with its two norms
  std::int64_t embedding = 0;
  std::int64_t total = 0;  ///< a tied head is counted once
  std::int64_t tensors = 0;
};
ParameterCounts count_parameters(const LlamaConfig& config);
/// Adapter parameters of one layer. Throws UsageError for an unknown module.
std::int64_t count_lora_parameters(const LlamaConfig& config, const LoraConfig& lora);

/// Model FLOPs of forward and backward of one layer with LoRA over batch x sequence tokens:
/// tokens * (4 N_linear + 6 N_lora + 12 dim S). Frozen weights need no weight gradient (4, not 6);
/// attention counts all S^2 scores, the causal half is not discounted.
double lora_layer_flops(const LlamaConfig& config, const LoraConfig& lora, std::int64_t batch,
                        std::int64_t sequence);

/// Model FLOPs per token of forward and backward of the whole model, in rows of `sequence` tokens.
/// All weights trained: 6 N + 12 layers dim S; with LoRA: 4 N + 6 N_lora + 12 layers dim S. N
/// counts the layers' matrices and the head, not the embedding. All S^2 scores are counted.
double training_flops(const LlamaConfig& config, std::int64_t sequence);
double lora_training_flops(const LlamaConfig& config, const LoraConfig& lora,
                           std::int64_t sequence);

/// Estimate of the peak bytes of training one layer with LoRA, elements of `element_bytes`:
/// weights, adapters with gradient and two moments, activations kept for backward and the largest
/// temporaries.
std::uint64_t lora_layer_bytes(const LlamaConfig& config, const LoraConfig& lora,
                               std::int64_t batch, std::int64_t sequence,
                               std::int64_t element_bytes);

}  // namespace scalemark::llm
