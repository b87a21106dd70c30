// SPDX-License-Identifier: Apache-2.0
// Names of weights, and rows of q and k.
#include "suites/llm/io/weight_names.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <torch/utils.h>

#include "common/base/error.hpp"

namespace scalemark::llm {
namespace {

struct Names {
  std::string_view ours, hugging_face, meta;
};

constexpr std::array<Names, 9> kInLayer{
    {{"attn.q_proj.weight", "self_attn.q_proj.weight", "attention.wq.weight"},
     {"attn.k_proj.weight", "self_attn.k_proj.weight", "attention.wk.weight"},
     {"attn.v_proj.weight", "self_attn.v_proj.weight", "attention.wv.weight"},
     {"attn.output_proj.weight", "self_attn.o_proj.weight", "attention.wo.weight"},
     {"mlp.w1.weight", "mlp.gate_proj.weight", "feed_forward.w1.weight"},
     {"mlp.w2.weight", "mlp.down_proj.weight", "feed_forward.w2.weight"},
     {"mlp.w3.weight", "mlp.up_proj.weight", "feed_forward.w3.weight"},
     {"sa_norm.scale", "input_layernorm.weight", "attention_norm.weight"},
     {"mlp_norm.scale", "post_attention_layernorm.weight", "ffn_norm.weight"}}};

constexpr std::array<Names, 3> kOutside{
    {{"tok_embeddings.weight", "model.embed_tokens.weight", "tok_embeddings.weight"},
     {"norm.scale", "model.norm.weight", "norm.weight"},
     {"output.weight", "lm_head.weight", "output.weight"}}};

template <std::size_t N>
std::string_view found_in(const std::array<Names, N>& table, std::string_view name, Naming naming) {
  const auto* const found = std::ranges::find(table, name, &Names::ours);
  if (found == table.end()) throw Error(fmt::format("files have no name for '{}'", name));
  return naming == Naming::meta ? found->meta : found->hugging_face;
}

}  // namespace

const char* to_string(Naming naming) { return naming == Naming::meta ? "meta" : "hugging_face"; }

std::string name_in_file(const std::string& name, Naming naming) {
  constexpr std::string_view kLayers = "layers.";
  if (!name.starts_with(kLayers)) return std::string(found_in(kOutside, name, naming));
  // "layers.12." stands before the names of a layer.
  const std::size_t rest = name.find('.', kLayers.size()) + 1;
  return fmt::format("{}{}{}", naming == Naming::meta ? "" : "model.", name.substr(0, rest),
                     found_in(kInLayer, std::string_view(name).substr(rest), naming));
}

std::int64_t rotated_heads(const std::string& name, const LlamaConfig& config) {
  if (name.find(".q_proj.") != std::string::npos) return config.heads;
  return name.find(".k_proj.") != std::string::npos ? config.kv_heads : 0;
}

torch::Tensor split_pairs(const torch::Tensor& rows, std::int64_t heads) {
  return rows.unflatten(0, {heads, -1, 2}).transpose(1, 2).flatten(0, 2).contiguous();
}

torch::Tensor join_pairs(const torch::Tensor& rows, std::int64_t heads) {
  return rows.unflatten(0, {heads, 2, -1}).transpose(1, 2).flatten(0, 2).contiguous();
}

}  // namespace scalemark::llm
