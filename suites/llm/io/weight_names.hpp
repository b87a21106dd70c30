// SPDX-License-Identifier: Apache-2.0
// What files call the weights of Llama3, and in which order they keep the rows of q and k.
#pragma once

#include <string>

#include <torch/types.h>

#include "suites/llm/model/config.hpp"

namespace scalemark::llm {

/// transformers: "model.layers.0.self_attn.q_proj.weight". Meta: "layers.0.attention.wq.weight".
enum class Naming { hugging_face, meta };

/// "hugging_face", "meta".
const char* to_string(Naming naming);

/// The name in files of what LlamaImpl calls `name` ("layers.0.attn.q_proj.weight"). Throws Error
/// for one that a model without adapters does not have.
std::string name_in_file(const std::string& name, Naming naming);

/// Heads of q_proj or k_proj, by whose rows positions turn; 0 for every other name.
std::int64_t rotated_heads(const std::string& name, const LlamaConfig& config);

/// Rows [heads * e, ...] from the order of Meta and of this project, where the pairs that turn
/// together are neighbours (2i, 2i + 1), to that of Hugging Face, where they are (i, i + e / 2) of
/// each head; and back. Copies.
torch::Tensor split_pairs(const torch::Tensor& rows, std::int64_t heads);
torch::Tensor join_pairs(const torch::Tensor& rows, std::int64_t heads);

}  // namespace scalemark::llm
