// SPDX-License-Identifier: Apache-2.0
// Llama3 decoder: grouped-query attention, SwiGLU, rotary positions, RMSNorm; a model, or one
// layer.
#include "suites/llm/model/llama.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include <fmt/format.h>
#include <torch/nn/modules/container/modulelist.h>

#include "common/base/error.hpp"
#include "suites/llm/model/attention.hpp"
#include "suites/llm/model/checkpoint.hpp"
#include "suites/llm/model/fused_ops.hpp"
#include "suites/llm/model/rope.hpp"

namespace scalemark::llm {
namespace {

template <typename Real>
torch::Tensor complex_table(const LlamaConfig& config, std::int64_t positions,
                            torch::ScalarType real, const torch::Device& device) {
  std::vector<Real> table = rope_table(
      rope_frequencies<Real>(config.head_dim(), config.rope_base, config.rope_scale), positions);
  const torch::Tensor pairs = torch::from_blob(
      table.data(), {positions, 1, config.head_dim() / 2, 2}, torch::TensorOptions().dtype(real));
  return torch::view_as_complex(pairs.clone()).to(device);
}

/// Causal attention within each packed sequence.
torch::Tensor attention_by_sequences(const torch::Tensor& q_bshe, const torch::Tensor& k_bske,
                                     const torch::Tensor& v_bske, const Positions& positions) {
  const std::int64_t longest = q_bshe.size(1);  // upper bound: the true maximum is not on the host
  const torch::Tensor y_nhe = std::get<0>(at::_flash_attention_forward(
      q_bshe.flatten(0, 1), k_bske.flatten(0, 1), v_bske.flatten(0, 1), positions.starts,
      positions.starts, longest, longest, /*dropout_p=*/0, /*is_causal=*/true,
      /*return_debug_mask=*/false));
  return y_nhe.view(q_bshe.sizes());
}

}  // namespace

torch::Tensor rotation_table(const LlamaConfig& config, std::int64_t positions,
                             const torch::TensorOptions& options) {
  if (c10::typeMetaToScalarType(options.dtype()) == torch::kFloat64) {
    return complex_table<double>(config, positions, torch::kFloat64, options.device());
  }
  return complex_table<float>(config, positions, torch::kFloat32, options.device());
}

torch::Tensor rotate(const torch::Tensor& x_bshe, const torch::Tensor& rotation) {
  const torch::Tensor real = x_bshe.to(c10::toRealValueType(rotation.scalar_type()));
  const torch::Tensor x_bshp = torch::view_as_complex(real.unflatten(-1, {-1, 2}));
  return torch::view_as_real(x_bshp * rotation).flatten(-2).to(x_bshe.scalar_type());
}

torch::Tensor rotate_by_operators(const torch::Tensor& x_bshe, const torch::Tensor& rotation) {
  const torch::Tensor real = x_bshe.to(c10::toRealValueType(rotation.scalar_type()));
  const torch::Tensor pairs = real.unflatten(-1, {-1, 2}), turn = torch::view_as_real(rotation);
  const torch::Tensor first = pairs.select(-1, 0), second = pairs.select(-1, 1),
                      cosine = turn.select(-1, 0), sine = turn.select(-1, 1);
  return torch::stack({first * cosine - second * sine, second * cosine + first * sine}, -1)
      .flatten(-2)
      .to(x_bshe.scalar_type());
}

torch::Tensor repeat_heads(const torch::Tensor& x_bske, std::int64_t times) {
  if (times == 1) return x_bske;
  return x_bske.unsqueeze(3).expand({-1, -1, -1, times, -1}).flatten(2, 3);
}

Packing make_packing(const std::vector<std::vector<std::int64_t>>& lengths) {
  constexpr std::size_t kMinSize = 16;
  std::vector<std::int64_t> places, sequences;
  std::vector<std::int32_t> starts{0};
  for (const std::vector<std::int64_t>& row : lengths) {
    std::int64_t which = 0;
    for (const std::int64_t length : row) {
      for (std::int64_t i = 0; i < length; ++i) places.push_back(i);
      sequences.insert(sequences.end(), static_cast<std::size_t>(length), which++);
      starts.push_back(starts.back() + static_cast<std::int32_t>(length));
    }
  }
  starts.resize(std::bit_ceil(std::max(starts.size() - 1, kMinSize)) + 1, starts.back());
  const auto rows = static_cast<std::int64_t>(lengths.size());
  return {.places_bs = torch::tensor(places).view({rows, -1}),
          .sequences_bs = torch::tensor(sequences).view({rows, -1}),
          .starts = torch::tensor(starts, torch::kInt32)};
}

RmsNormImpl::RmsNormImpl(std::int64_t dim, double norm_eps, const torch::TensorOptions& options)
    : eps_(norm_eps) {
  scale = register_parameter("scale", torch::ones({dim}, options));
}

torch::Tensor RmsNormImpl::forward(const torch::Tensor& x) {
  return torch::rms_norm(x, scale.sizes(), scale, eps_);
}

AttentionImpl::AttentionImpl(const LlamaConfig& config, const torch::TensorOptions& options,
                             Initial initial)
    : heads_(config.heads / config.shards),
      kv_heads_(config.kv_heads / config.shards),
      head_dim_(config.head_dim()) {
  const std::int64_t q_dim = config.query_dim(), kv_dim = config.key_dim();
  q_proj_ = register_module("q_proj", Linear(config.dim, q_dim, options, initial));
  k_proj_ = register_module("k_proj", Linear(config.dim, kv_dim, options, initial));
  v_proj_ = register_module("v_proj", Linear(config.dim, kv_dim, options, initial));
  output_proj_ = register_module("output_proj", Linear(q_dim, config.dim, options, initial));
}

torch::Tensor AttentionImpl::forward(const torch::Tensor& x_bsd, const Positions& positions,
                                     LayerCache* cache) {
  const auto heads = [&](Linear& projection, std::int64_t count) {
    return projection(x_bsd).unflatten(-1, {count, head_dim_});
  };
  const auto turned = [&](const torch::Tensor& x_bshe) {
    return fused_ ? fused_rotate(x_bshe, positions.rotation)
                  : rotate_by_operators(x_bshe, positions.rotation);
  };
  const torch::Tensor q_bshe = turned(heads(q_proj_, heads_)),
                      k_bshe = turned(heads(k_proj_, kv_heads_)),
                      v_bshe = heads(v_proj_, kv_heads_);
  if (cache != nullptr) {
    cache->append(k_bshe, v_bshe);
    if (x_bsd.size(1) == 1)
      return output_proj_(attention_of_one(q_bshe, cache->keys(), cache->values()).flatten(2));
  }
  const torch::Tensor y_bshe =
      positions.starts.defined()
          ? attention_by_sequences(q_bshe, k_bshe, v_bshe, positions)
          : attention(q_bshe, k_bshe, v_bshe, positions.mask, fused_ && has_flash(x_bsd.options()));
  return output_proj_(y_bshe.flatten(2));
}

FeedForwardImpl::FeedForwardImpl(const LlamaConfig& config, const torch::TensorOptions& options,
                                 Initial initial) {
  w1_ = register_module("w1", Linear(config.dim, config.inner_dim(), options, initial));
  w2_ = register_module("w2", Linear(config.inner_dim(), config.dim, options, initial));
  w3_ = register_module("w3", Linear(config.dim, config.inner_dim(), options, initial));
}

torch::Tensor FeedForwardImpl::forward(const torch::Tensor& x_bsd) {
  const torch::Tensor gate = w1_(x_bsd), up = w3_(x_bsd);
  return w2_(fused_ ? fused_swiglu(gate, up) : torch::silu(gate) * up);
}

DecoderLayerImpl::DecoderLayerImpl(const LlamaConfig& config, const torch::TensorOptions& options,
                                   Initial initial) {
  attn_ = register_module("attn", Attention(config, options, initial));
  mlp_ = register_module("mlp", FeedForward(config, options, initial));
  sa_norm_ = register_module("sa_norm", RmsNorm(config.dim, config.norm_eps, options));
  mlp_norm_ = register_module("mlp_norm", RmsNorm(config.dim, config.norm_eps, options));
}

torch::Tensor DecoderLayerImpl::forward(const torch::Tensor& x_bsd, const Positions& positions,
                                        LayerCache* cache) {
  const torch::Tensor h_bsd = x_bsd + sum_of_parts(attn_(sa_norm_(x_bsd), positions, cache));
  return h_bsd + sum_of_parts(mlp_(mlp_norm_(h_bsd)));
}

void DecoderLayerImpl::fuse(bool on) {
  attn_->fuse(on);
  mlp_->fuse(on);
}

LlamaImpl::LlamaImpl(const LlamaConfig& config, const torch::TensorOptions& options,
                     const PartMade& made, Initial initial)
    : config_(config), options_(options) {
  const auto finished = [&](torch::nn::Module& part) {
    if (made) made(part);
  };
  tok_embeddings_ =
      register_module("tok_embeddings", Linear(config.dim, config.vocab_size, options, initial));
  if (initial == Initial::random) {
    const torch::NoGradGuard no_grad;
    tok_embeddings_->weight.normal_(0, kEmbeddingDeviation);
  }
  finished(*tok_embeddings_);
  auto layers = register_module("layers", torch::nn::ModuleList());
  for (std::int64_t i = 0; i < config.layers; ++i) {
    layers_.emplace_back(config, options, initial);
    layers->push_back(layers_.back());
    finished(*layers_.back());
  }
  norm_ = register_module("norm", RmsNorm(config.dim, config.norm_eps, options));
  finished(*norm_);
  output_ = config.tied_output
                ? tok_embeddings_
                : register_module("output", Linear(config.dim, config.vocab_size / config.shards,
                                                   options, initial));
  if (!config.tied_output) finished(*output_);
}

torch::Tensor LlamaImpl::forward(const torch::Tensor& tokens_bs) {
  return forward_at(tokens_bs, positions(tokens_bs.size(1)));
}

torch::Tensor LlamaImpl::forward_at(const torch::Tensor& tokens_bs, const Positions& positions) {
  return output_(hidden_at(tokens_bs, positions));
}

torch::Tensor LlamaImpl::hidden_at(const torch::Tensor& tokens_bs, const Positions& positions) {
  const bool checkpoints = checkpoints_ && torch::GradMode::is_enabled();
  if (gate_ != nullptr) gate_->open();
  torch::Tensor x_bsd = torch::embedding(tok_embeddings_->weight, tokens_bs);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    auto run = [layer = layers_[i], positions](const torch::Tensor& x) mutable {
      return layer(x, positions);
    };
    const auto compute = [&](const torch::Tensor& x) {
      return checkpoints ? checkpointed(run, x) : run(x);
    };
    x_bsd = gate_ == nullptr ? compute(x_bsd) : gate_->pass(i, compute, x_bsd);
  }
  return norm_(x_bsd);
}

torch::Tensor LlamaImpl::hidden_after(const torch::Tensor& tokens_bs, KvCache& cache) {
  const std::int64_t before = cache.length(), count = tokens_bs.size(1);
  if (before > 0 && count != 1) {
    throw Error(fmt::format("{} tokens were given behind {}; allowed there: 1", count, before));
  }
  Positions positions = this->positions(before + count);
  positions.rotation = positions.rotation.narrow(0, before, count);
  torch::Tensor x_bsd = torch::embedding(tok_embeddings_->weight, tokens_bs);
  for (std::size_t i = 0; i < layers_.size(); ++i)
    x_bsd = layers_[i]->forward(x_bsd, positions, &cache.layer(i));
  return norm_(x_bsd.select(1, count - 1));
}

void LlamaImpl::sum_parts(const Sum& sum) {
  for (DecoderLayer& layer : layers_) layer->sum_parts(sum);
}

Positions LlamaImpl::positions(std::int64_t sequence) {
  if (sequence > config_.max_seq_len) {
    throw Error(fmt::format("a sequence of {} tokens was given; the model allows {}", sequence,
                            config_.max_seq_len));
  }
  if (rotations_.empty() || rotations_.back().size(0) < sequence) {
    const std::int64_t known = rotations_.empty() ? 0 : rotations_.back().size(0);
    rotations_.push_back(rotation_table(
        config_, std::min(std::max(sequence, 2 * known), config_.max_seq_len), options_));
  }
  return {.rotation = rotations_.back().narrow(0, 0, sequence), .mask = {}, .starts = {}};
}

bool LlamaImpl::flash() const { return fused_ && has_flash(options_); }

void LlamaImpl::fuse(bool on) {
  fused_ = on;
  for (DecoderLayer& layer : layers_) layer->fuse(on);
  for (const auto& module : modules(/*include_self=*/false)) {
    if (auto* const linear = module->as<LinearImpl>()) linear->fuse(on);
  }
}

Positions LlamaImpl::packed_positions(const Packing& packing) {
  const std::int64_t width = packing.places_bs.size(1);
  const torch::Tensor rotation = positions(width).rotation.index({packing.places_bs});
  if (flash()) return {.rotation = rotation, .mask = {}, .starts = packing.starts};
  // Convert once here: attention would convert a boolean mask in each layer, and keep the copy.
  const torch::Tensor sequences = packing.sequences_bs;
  const torch::Tensor hidden =
      sequences.unsqueeze(2)
          .eq(sequences.unsqueeze(1))
          .logical_and_(
              torch::ones({width, width}, sequences.options().dtype(torch::kBool)).tril_())
          .logical_not_();
  const torch::Tensor added = torch::zeros(hidden.sizes(), options_)
                                  .masked_fill_(hidden, -std::numeric_limits<double>::infinity());
  return {.rotation = rotation, .mask = added.unsqueeze(1), .starts = {}};
}

}  // namespace scalemark::llm
