// SPDX-License-Identifier: Apache-2.0
// Llama3 decoder: grouped-query attention, SwiGLU, rotary positions, RMSNorm; a model, or one
// layer. Shapes in names: b batch, s sequence, d dim, h heads, k key/value heads, e head dim, p
// pairs, v vocabulary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "suites/llm/model/config.hpp"
#include "suites/llm/model/lora.hpp"

namespace scalemark::llm {

/// Where each token stands, and what it may look at.
struct Positions {
  torch::Tensor rotation;  ///< complex [s, 1, p] or [b, s, 1, p]
  torch::Tensor mask;      ///< added to the scores [b, 1, s, s]: 0 or -infinity; undefined = causal
  torch::Tensor starts;    ///< instead of the mask: Packing::starts, for attention by sequences
};

/// Rows that hold several sequences each.
struct Packing {
  torch::Tensor places_bs;     ///< int64, of each token in its sequence
  torch::Tensor sequences_bs;  ///< int64, which one of its row a token belongs to
  /// int32 [sequences + 1]: where each begins among all tokens, row after row, and the end. The
  /// last ones may be empty.
  torch::Tensor starts;
  bool defined() const { return places_bs.defined(); }
};
/// `lengths` lists the sequences row by row; each row sums to the same. On the host. `starts` gets
/// empty sequences at its end until there are a power of two, 16 at least: few different shapes.
Packing make_packing(const std::vector<std::vector<std::int64_t>>& lengths);

/// exp(i * position * frequency) for positions 0 .. positions - 1 as [position, 1, p]: complex128
/// where `options` say double, else complex64.
torch::Tensor rotation_table(const LlamaConfig& config, std::int64_t positions,
                             const torch::TensorOptions& options);

/// Rotates the interleaved pairs (2i, 2i + 1) of x_bshe, in the precision of the table.
torch::Tensor rotate(const torch::Tensor& x_bshe, const torch::Tensor& rotation);

/// Each key/value head `times` times, side by side: [b, s, k, e] -> [b, s, k * times, e].
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
  torch::Tensor forward(const torch::Tensor& x_bsd, const Positions& positions);
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

class DecoderLayerImpl : public torch::nn::Module {
 public:
  DecoderLayerImpl(const LlamaConfig& config, const torch::TensorOptions& options,
                   Initial initial = Initial::random);
  torch::Tensor forward(const torch::Tensor& x_bsd, const Positions& positions);
  void fuse(bool on);

 private:
  Attention attn_{nullptr};
  FeedForward mlp_{nullptr};
  RmsNorm sa_norm_{nullptr}, mlp_norm_{nullptr};
};
TORCH_MODULE(DecoderLayer);

/// Called with each part of a model as soon as it is made: the embedding, each layer, the last
/// norm, the head (unless that is the embedding). It may change the part; nothing is random after
/// it.
using PartMade = std::function<void(torch::nn::Module& part)>;

/// Stands round the layers of a model, for instance to have their weights there when they compute.
class LayerGate {
 public:
  using Layer = std::function<torch::Tensor(const torch::Tensor&)>;
  virtual ~LayerGate() = default;
  /// Before anything of the model is used in a forward pass.
  virtual void open() = 0;
  /// Calls `compute` on `x`.
  virtual torch::Tensor pass(std::size_t layer, const Layer& compute, const torch::Tensor& x) = 0;
};

/// The whole model, made in its final type and on its final device (options).
class LlamaImpl : public torch::nn::Module {
 public:
  LlamaImpl(const LlamaConfig& config, const torch::TensorOptions& options,
            const PartMade& made = {}, Initial initial = Initial::random);

  /// Logits [b, s, v] of tokens [b, s] (int64, right-padded).
  torch::Tensor forward(const torch::Tensor& tokens_bs);
  /// The same for other positions: packed rows.
  torch::Tensor forward_at(const torch::Tensor& tokens_bs, const Positions& positions);
  /// What the head turns into logits: [b, s, d].
  torch::Tensor hidden_at(const torch::Tensor& tokens_bs, const Positions& positions);
  const Linear& head() const { return output_; }
  const LlamaConfig& config() const { return config_; }
  const torch::TensorOptions& options() const { return options_; }
  /// Layers keep only their input for the backward pass, and compute the rest once more there.
  void checkpoint_layers(bool on) { checkpoints_ = on; }
  /// Rotary positions and SwiGLU as of fused_ops.hpp; and, in 16 bits on a GPU, attention by
  /// LibTorch's flash kernels without repeated heads or masks.
  void fuse(bool on);
  /// From now on layers are computed through `gate`, which outlives the passes; null: directly.
  void set_gate(LayerGate* gate) { gate_ = gate; }

  /// Positions 0 .. sequence - 1, causal. Throws Error above the model's max_seq_len.
  Positions positions(std::int64_t sequence);
  /// Several sequences in each row: positions restart, no token looks into another sequence.
  /// `packing` is on the model's device. Throws Error for rows above the model's max_seq_len.
  Positions packed_positions(const Packing& packing);

 private:
  /// Whether attention goes by LibTorch's flash kernels.
  bool flash() const;

  LlamaConfig config_;
  torch::TensorOptions options_;
  bool fused_ = false;
  /// Tables of the positions met so far, each larger than the one before: passes that were recorded
  /// as graphs read the one that was the last then. No buffers, since to() would make them real.
  std::vector<torch::Tensor> rotations_;
  Linear tok_embeddings_{nullptr}, output_{nullptr};
  std::vector<DecoderLayer> layers_;
  RmsNorm norm_{nullptr};
  bool checkpoints_ = false;
  LayerGate* gate_ = nullptr;
};
TORCH_MODULE(Llama);

}  // namespace scalemark::llm
