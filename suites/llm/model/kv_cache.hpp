// SPDX-License-Identifier: Apache-2.0
// Keys and values of the tokens that a generation has behind it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <torch/types.h>

#include "suites/llm/model/config.hpp"

namespace scalemark::llm {

/// Those of one layer. Head by head, so that a query reads them in order.
class LayerCache {
 public:
  /// For `capacity` tokens of `batch` rows.
  LayerCache(const LlamaConfig& config, std::int64_t batch, std::int64_t capacity,
             const torch::TensorOptions& options);
  /// Stores k_bske and v_bske behind the tokens that are there. Throws Error beyond the capacity.
  void append(const torch::Tensor& k_bske, const torch::Tensor& v_bske);
  /// Forgets all tokens but the first `length`.
  void shorten(std::int64_t length) { length_ = length; }
  std::int64_t length() const { return length_; }
  /// [b, kv heads, length, e]
  torch::Tensor keys() const { return keys_.narrow(2, 0, length_); }
  torch::Tensor values() const { return values_.narrow(2, 0, length_); }

 private:
  torch::Tensor keys_, values_;
  std::int64_t length_ = 0;
};

/// Those of all layers of a model.
class KvCache {
 public:
  KvCache(const LlamaConfig& config, std::int64_t batch, std::int64_t capacity,
          const torch::TensorOptions& options) {
    for (std::int64_t i = 0; i < config.layers; ++i)
      layers_.emplace_back(config, batch, capacity, options);
  }
  LayerCache& layer(std::size_t index) { return layers_.at(index); }
  std::int64_t length() const { return layers_.front().length(); }
  void shorten(std::int64_t length) {
    for (LayerCache& layer : layers_) layer.shorten(length);
  }

 private:
  std::vector<LayerCache> layers_;
};

/// Bytes of the keys and values of one token of one row, of one rank.
std::int64_t kv_bytes_per_token(const LlamaConfig& config, std::int64_t element_bytes);

}  // namespace scalemark::llm
