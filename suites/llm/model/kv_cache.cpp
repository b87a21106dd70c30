// SPDX-License-Identifier: Apache-2.0
// Keys and values of the tokens that a generation has behind it.
#include "suites/llm/model/kv_cache.hpp"

#include <fmt/format.h>

#include "common/base/error.hpp"

namespace scalemark::llm {

LayerCache::LayerCache(const LlamaConfig& config, std::int64_t batch, std::int64_t capacity,
                       const torch::TensorOptions& options)
    : keys_(torch::zeros({batch, config.kv_heads / config.shards, capacity, config.head_dim()},
                         options)),
      values_(torch::zeros_like(keys_)) {}

void LayerCache::append(const torch::Tensor& k_bske, const torch::Tensor& v_bske) {
  const std::int64_t count = k_bske.size(1), capacity = keys_.size(2);
  if (length_ + count > capacity) {
    throw Error(
        fmt::format("{} tokens do not fit behind {} in a cache for {}", count, length_, capacity));
  }
  keys_.narrow(2, length_, count).copy_(k_bske.transpose(1, 2));
  values_.narrow(2, length_, count).copy_(v_bske.transpose(1, 2));
  length_ += count;
}

std::int64_t kv_bytes_per_token(const LlamaConfig& config, std::int64_t element_bytes) {
  return 2 * config.layers * config.key_dim() * element_bytes;
}

}  // namespace scalemark::llm
