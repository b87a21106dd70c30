// SPDX-License-Identifier: Apache-2.0
// Greedy generation by a Llama3 model with a cache of keys and values, on one rank or shared by
// several (tensor parallelism).
#pragma once

#include <cstdint>

#include <torch/types.h>

#include "common/torch/process_group/process_group.hpp"
#include "suites/llm/model/config.hpp"
#include "suites/llm/model/kv_cache.hpp"
#include "suites/llm/model/llama.hpp"

namespace scalemark::llm {

/// The part of `config` that each of `ranks` computes. Throws InputError if they cannot share it
/// equally.
LlamaConfig shared_by(LlamaConfig config, std::int64_t ranks);

/// Copies what rank `rank` computes of `whole` into `part`: rows or columns of matrices, whichever
/// are fewer in `part`, and all else as it is.
void copy_part(const torch::nn::Module& whole, torch::nn::Module& part, std::int64_t rank);

/// Layer `index` of the model with random weights from `seed`.
DecoderLayer random_layer(const LlamaConfig& config, std::int64_t index, std::uint64_t seed,
                          const torch::TensorOptions& options);

struct GeneratorOptions {
  std::int64_t batch = 1;
  std::int64_t capacity = 1;  ///< tokens per row, prompt and answer
  std::uint64_t seed = 0;
  torch::TensorOptions tensors;
  /// Ranks that share the model as Megatron-LM does (Shoeybi et al. 2019, arXiv:1909.08053): each
  /// has a part of the heads, of the feed-forward's inner rows and of the vocabulary. Null: one
  /// rank has it all.
  torch_support::ProcessGroupPtr group;
};

class Generator {
 public:
  /// The weights are random. They depend on `options.seed`, not on the number of ranks.
  Generator(const LlamaConfig& config, const GeneratorOptions& options);

  /// Collective over the group. The most likely token [b, 1] behind `tokens_bs`, which follow those
  /// of the cache; stores their keys and values.
  torch::Tensor next(const torch::Tensor& tokens_bs);
  /// Forgets all tokens but the first `length`.
  void shorten(std::int64_t length) { cache_.shorten(length); }

  /// Of the last call: [b, v], of a shared model this rank's part of v.
  torch::Tensor logits() const { return logits_bv_; }
  /// This rank's part.
  const Llama& model() const { return model_; }
  const GeneratorOptions& options() const { return options_; }
  const Sum& sum() const { return sum_; }

 private:
  Llama random_model(const LlamaConfig& whole) const;
  torch::Tensor most_likely() const;
  std::int64_t rank() const { return options_.group ? options_.group->getRank() : 0; }

  LlamaConfig config_;
  GeneratorOptions options_;
  Sum sum_;
  Llama model_;
  torch::Tensor head_;
  KvCache cache_;
  torch::Tensor logits_bv_;
};

}  // namespace scalemark::llm
