// SPDX-License-Identifier: Apache-2.0
// Llama3 decoder: grouped-query attention, SwiGLU, rotary positions, RMSNorm; a model, or one
// layer. Shapes in names: b batch, s sequence, d dim, h heads, k key/value heads, e head dim, p
// pairs, v vocabulary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "suites/llm/model/config.hpp"
#include "suites/llm/model/kv_cache.hpp"
#include "suites/llm/model/lora.hpp"

namespace scalemark::llm {

/// Position of each token, and the tokens it may attend to.
struct Positions {
  torch::Tensor rotation;  ///< complex [s, 1, p] or [b, s, 1, p]
  torch::Tensor mask;      ///< added to the scores [b, 1, s, s]: 0 or -infinity; undefined = causal
  torch::Tensor starts;    ///< replaces the mask in flash attention: Packing::starts
};

/// Rows that hold several sequences each.
struct Packing {
  torch::Tensor places_bs;     ///< int64, position of each token in its sequence
  torch::Tensor sequences_bs;  ///< int64, index of each token's sequence in its row
  /// int32 [sequences + 1]: start of each sequence among all tokens, row by row, and the end.
  /// Trailing sequences may be empty.
  torch::Tensor starts;
  bool defined() const { return places_bs.defined(); }
  Packing to(const torch::Device& device) const {
    return {places_bs.to(device), sequences_bs.to(device), starts.to(device)};
  }
};
/// `lengths` lists the sequence lengths row by row; all rows have the same sum. On the host.
/// `starts` is padded with empty sequences to a power of two, at least 16, to limit the number of
/// shapes.
Packing make_packing(const std::vector<std::vector<std::int64_t>>& lengths);

/// exp(i * position * frequency) for positions 0 .. positions - 1 as [position, 1, p]: complex128
/// if `options` are double, else complex64.
torch::Tensor rotation_table(const LlamaConfig& config, std::int64_t positions,
                             const torch::TensorOptions& options);

/// Rotates the interleaved pairs (2i, 2i + 1) of x_bshe, in the precision of the table.
torch::Tensor rotate(const torch::Tensor& x_bshe, const torch::Tensor& rotation);
/// The same by real products and sums of whole tensors, as torchtune does.
torch::Tensor rotate_by_operators(const torch::Tensor& x_bshe, const torch::Tensor& rotation);

/// Repeats each key/value head `times` times, adjacent: [b, s, k, e] -> [b, s, k * times, e].
torch::Tensor repeat_heads(const torch::Tensor& x_bske, std::int64_t times);

/// x / sqrt(mean(x^2) + eps) * scale; 16-bit types are computed in fp32.
class RmsNormImpl : public torch::nn::Module {
 public:
  RmsNormImpl(std::int64_t dim, double norm_eps, const torch::TensorOptions& options);
  torch::Tensor forward(const torch::Tensor& x);
  torch::Tensor scale;

 private:
  double eps_;
};
TORCH_MODULE(RmsNorm);

class AttentionImpl : public torch::nn::Module {
 public:
  AttentionImpl(const LlamaConfig& config, const torch::TensorOptions& options,
                Initial initial = Initial::random);
  /// With `cache`, keys and values are stored behind those it holds. One token may follow others;
  /// several must be the first.
  torch::Tensor forward(const torch::Tensor& x_bsd, const Positions& positions,
                        LayerCache* cache = nullptr);
  void fuse(bool on) { fused_ = on; }

 private:
  std::int64_t heads_, kv_heads_, head_dim_;
  bool fused_ = false;
  Linear q_proj_{nullptr}, k_proj_{nullptr}, v_proj_{nullptr}, output_proj_{nullptr};
};
TORCH_MODULE(Attention);

/// w2(silu(w1 x) * w3 x)
class FeedForwardImpl : public torch::nn::Module {
 public:
  FeedForwardImpl(const LlamaConfig& config, const torch::TensorOptions& options,
                  Initial initial = Initial::random);
  torch::Tensor forward(const torch::Tensor& x_bsd);
  void fuse(bool on) { fused_ = on; }

 private:
  bool fused_ = false;
  Linear w1_{nullptr}, w2_{nullptr}, w3_{nullptr};
};
TORCH_MODULE(FeedForward);

/// Returns the sum of a tensor over ranks.
using Sum = std::function<torch::Tensor(torch::Tensor)>;

class DecoderLayerImpl : public torch::nn::Module {
 public:
  DecoderLayerImpl(const LlamaConfig& config, const torch::TensorOptions& options,
                   Initial initial = Initial::random);
  torch::Tensor forward(const torch::Tensor& x_bsd, const Positions& positions,
                        LayerCache* cache = nullptr);
  void fuse(bool on);
  /// Tensor parallelism: adds up what the ranks' parts of attention and of feed-forward give.
  void sum_parts(Sum sum) { sum_ = std::move(sum); }

 private:
  torch::Tensor sum_of_parts(const torch::Tensor& part) { return sum_ ? sum_(part) : part; }

  Sum sum_;
  Attention attn_{nullptr};
  FeedForward mlp_{nullptr};
  RmsNorm sa_norm_{nullptr}, mlp_norm_{nullptr};
};
TORCH_MODULE(DecoderLayer);

/// Called with each part of a model as soon as it is built: the embedding, each layer, the last
/// norm, the head (unless tied to the embedding). It may change the part; no random numbers are
/// drawn for the part afterwards.
using PartMade = std::function<void(torch::nn::Module& part)>;

/// Wraps the layers of a model, for instance to gather their weights before they compute.
class LayerGate {
 public:
  using Layer = std::function<torch::Tensor(const torch::Tensor&)>;
  virtual ~LayerGate() = default;
  /// Called before a forward pass uses any part of the model.
  virtual void open() = 0;
  /// Calls `compute` on `x`.
  virtual torch::Tensor pass(std::size_t layer, const Layer& compute, const torch::Tensor& x) = 0;
};

/// Standard deviation of a random embedding.
inline constexpr double kEmbeddingDeviation = 0.02;

/// The whole model, built directly in its final type on its final device (options).
class LlamaImpl : public torch::nn::Module {
 public:
  LlamaImpl(const LlamaConfig& config, const torch::TensorOptions& options,
            const PartMade& made = {}, Initial initial = Initial::random);

  /// Logits [b, s, v] of tokens [b, s] (int64, right-padded).
  torch::Tensor forward(const torch::Tensor& tokens_bs);
  /// The same for given positions, as of packed rows.
  torch::Tensor forward_at(const torch::Tensor& tokens_bs, const Positions& positions);
  /// Hidden states before the head: [b, s, d].
  torch::Tensor hidden_at(const torch::Tensor& tokens_bs, const Positions& positions);
  /// Generation: the hidden states before the head [b, d] of the last of `tokens_bs`, which follow
  /// what `cache` holds; stores their keys and values. Throws Error for several tokens that are not
  /// the first, and beyond the cache's capacity or the model's max_seq_len.
  torch::Tensor hidden_after(const torch::Tensor& tokens_bs, KvCache& cache);
  const Linear& head() const { return output_; }
  const DecoderLayer& layer(std::size_t index) const { return layers_.at(index); }
  const LlamaConfig& config() const { return config_; }
  const torch::TensorOptions& options() const { return options_; }
  /// Activation checkpointing: layers keep only their input and recompute the rest in the backward
  /// pass.
  void checkpoint_layers(bool on) { checkpoints_ = on; }
  /// Uses fused rotary positions and SwiGLU (fused_ops.hpp), and the fused products of its linear
  /// maps. In 16 bits on a GPU also LibTorch's flash attention, without repeated heads or masks.
  /// False (default): the operators of torchtune's recipes. For linear maps that exist already.
  void fuse(bool on);
  /// DecoderLayer::sum_parts() of all layers.
  void sum_parts(const Sum& sum);
  /// From now on layers run through `gate`, which must outlive the passes; null: directly.
  void set_gate(LayerGate* gate) { gate_ = gate; }

  /// Positions 0 .. sequence - 1, causal. Throws Error above the model's max_seq_len.
  Positions positions(std::int64_t sequence);
  /// Packed rows: positions restart in each sequence, and tokens attend only within their sequence.
  /// `packing` is on the model's device. Throws Error for rows above the model's max_seq_len.
  Positions packed_positions(const Packing& packing);

 private:
  /// Whether attention uses LibTorch's flash kernels.
  bool flash() const;

  LlamaConfig config_;
  torch::TensorOptions options_;
  bool fused_ = false;
  /// Position tables, each larger than the one before. Older ones stay, as recorded CUDA graphs
  /// read them. They are no buffers, since to() would make them real.
  std::vector<torch::Tensor> rotations_;
  Linear tok_embeddings_{nullptr}, output_{nullptr};
  std::vector<DecoderLayer> layers_;
  RmsNorm norm_{nullptr};
  bool checkpoints_ = false;
  LayerGate* gate_ = nullptr;
};
TORCH_MODULE(Llama);

}  // namespace scalemark::llm
