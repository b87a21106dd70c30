// SPDX-License-Identifier: Apache-2.0
// Llama3 decoder: grouped-query attention, SwiGLU, rotary positions, RMSNorm; a model, or one
// layer.
#include "suites/llm/llama.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <torch/nn/modules/container/modulelist.h>

#include "common/base/error.hpp"
#include "suites/llm/checkpoint.hpp"
#include "suites/llm/rope.hpp"

namespace scalemark::llm {
namespace {

constexpr double kEmbeddingDeviation = 0.02;

template <typename Real>
torch::Tensor complex_table(const LlamaConfig& config, std::int64_t positions,
                            torch::ScalarType real, const torch::Device& device) {
  std::vector<Real> table = rope_table(
      rope_frequencies<Real>(config.head_dim(), config.rope_base, config.rope_scale), positions);
  const torch::Tensor pairs = torch::from_blob(
      table.data(), {positions, 1, config.head_dim() / 2, 2}, torch::TensorOptions().dtype(real));
  return torch::view_as_complex(pairs.clone()).to(device);
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

torch::Tensor repeat_heads(const torch::Tensor& x_bske, std::int64_t times) {
  if (times == 1) return x_bske;
  return x_bske.unsqueeze(3).expand({-1, -1, -1, times, -1}).flatten(2, 3);
}

RmsNormImpl::RmsNormImpl(std::int64_t dim, double norm_eps, const torch::TensorOptions& options)
    : eps_(norm_eps) {
  scale = register_parameter("scale", torch::ones({dim}, options));
}

torch::Tensor RmsNormImpl::forward(const torch::Tensor& x) {
  return torch::rms_norm(x, scale.sizes(), scale, eps_);
}

AttentionImpl::AttentionImpl(const LlamaConfig& config, const torch::TensorOptions& options)
    : heads_(config.heads), kv_heads_(config.kv_heads), head_dim_(config.head_dim()) {
  const std::int64_t kv_dim = kv_heads_ * head_dim_;
  q_proj_ = register_module("q_proj", Linear(config.dim, config.dim, options));
  k_proj_ = register_module("k_proj", Linear(config.dim, kv_dim, options));
  v_proj_ = register_module("v_proj", Linear(config.dim, kv_dim, options));
  output_proj_ = register_module("output_proj", Linear(config.dim, config.dim, options));
}

torch::Tensor AttentionImpl::forward(const torch::Tensor& x_bsd, const Positions& positions) {
  const auto heads = [&](Linear& projection, std::int64_t count) {
    return projection(x_bsd).unflatten(-1, {count, head_dim_});
  };
  const std::int64_t times = heads_ / kv_heads_;
  const torch::Tensor q_bshe = rotate(heads(q_proj_, heads_), positions.rotation);
  const torch::Tensor k_bshe =
      repeat_heads(rotate(heads(k_proj_, kv_heads_), positions.rotation), times);
  const torch::Tensor v_bshe = repeat_heads(heads(v_proj_, kv_heads_), times);

  const bool causal = !positions.mask.defined();
  const c10::optional<torch::Tensor> mask =
      causal ? c10::nullopt : c10::make_optional(positions.mask);
  const torch::Tensor y_bhse =
      at::scaled_dot_product_attention(q_bshe.transpose(1, 2), k_bshe.transpose(1, 2),
                                       v_bshe.transpose(1, 2), mask, /*dropout_p=*/0, causal);
  return output_proj_(y_bhse.transpose(1, 2).flatten(2));
}

FeedForwardImpl::FeedForwardImpl(const LlamaConfig& config, const torch::TensorOptions& options) {
  w1_ = register_module("w1", Linear(config.dim, config.ffn_dim, options));
  w2_ = register_module("w2", Linear(config.ffn_dim, config.dim, options));
  w3_ = register_module("w3", Linear(config.dim, config.ffn_dim, options));
}

torch::Tensor FeedForwardImpl::forward(const torch::Tensor& x_bsd) {
  return w2_(torch::silu(w1_(x_bsd)) * w3_(x_bsd));
}

DecoderLayerImpl::DecoderLayerImpl(const LlamaConfig& config, const torch::TensorOptions& options) {
  attn_ = register_module("attn", Attention(config, options));
  mlp_ = register_module("mlp", FeedForward(config, options));
  sa_norm_ = register_module("sa_norm", RmsNorm(config.dim, config.norm_eps, options));
  mlp_norm_ = register_module("mlp_norm", RmsNorm(config.dim, config.norm_eps, options));
}

torch::Tensor DecoderLayerImpl::forward(const torch::Tensor& x_bsd, const Positions& positions) {
  const torch::Tensor h_bsd = x_bsd + attn_(sa_norm_(x_bsd), positions);
  return h_bsd + mlp_(mlp_norm_(h_bsd));
}

LlamaImpl::LlamaImpl(const LlamaConfig& config, const torch::TensorOptions& options,
                     const PartMade& made)
    : config_(config), options_(options) {
  const auto finished = [&](torch::nn::Module& part) {
    if (made) made(part);
  };
  tok_embeddings_ =
      register_module("tok_embeddings", Linear(config.dim, config.vocab_size, options));
  {
    const torch::NoGradGuard no_grad;
    tok_embeddings_->weight.normal_(0, kEmbeddingDeviation);
  }
  finished(*tok_embeddings_);
  auto layers = register_module("layers", torch::nn::ModuleList());
  for (std::int64_t i = 0; i < config.layers; ++i) {
    layers_.emplace_back(config, options);
    layers->push_back(layers_.back());
    finished(*layers_.back());
  }
  norm_ = register_module("norm", RmsNorm(config.dim, config.norm_eps, options));
  finished(*norm_);
  output_ = config.tied_output
                ? tok_embeddings_
                : register_module("output", Linear(config.dim, config.vocab_size, options));
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

Positions LlamaImpl::positions(std::int64_t sequence) {
  if (sequence > config_.max_seq_len) {
    throw Error(fmt::format("a sequence of {} tokens was given; the model allows {}", sequence,
                            config_.max_seq_len));
  }
  if (!rotation_.defined() || rotation_.size(0) < sequence) {
    const std::int64_t known = rotation_.defined() ? rotation_.size(0) : 0;
    rotation_ = rotation_table(
        config_, std::min(std::max(sequence, 2 * known), config_.max_seq_len), options_);
  }
  return {.rotation = rotation_.narrow(0, 0, sequence), .mask = {}};
}

Positions LlamaImpl::packed_positions(const std::vector<std::vector<std::int64_t>>& lengths) {
  std::vector<torch::Tensor> positions_bs, masks;
  for (const std::vector<std::int64_t>& row : lengths) {
    std::vector<torch::Tensor> places, blocks;
    for (const std::int64_t length : row) {
      places.push_back(torch::arange(length));
      blocks.push_back(torch::ones({length, length}, torch::kBool).tril());
    }
    positions_bs.push_back(torch::cat(places));
    masks.push_back(torch::block_diag(blocks));
  }
  const torch::Tensor index_bs = torch::stack(positions_bs).to(options_.device());
  const torch::Tensor table = positions(index_bs.size(1)).rotation;
  // Attention would make its sum of a boolean mask in each layer, and keep it.
  const torch::Tensor mask_bss = torch::stack(masks).to(options_.device());
  const torch::Tensor added =
      torch::zeros(mask_bss.sizes(), options_)
          .masked_fill_(~mask_bss, -std::numeric_limits<double>::infinity());
  return {.rotation = table.index({index_bs}), .mask = added.unsqueeze(1)};
}

}  // namespace scalemark::llm
