// SPDX-License-Identifier: Apache-2.0
// Names of Llama3's weights in files, and the row order of q and k.
#pragma once

#include <string>

#include <torch/types.h>

#include "suites/llm/model/config.hpp"

namespace scalemark::llm {

/// transformers: "model.layers.0.self_attn.q_proj.weight". Meta: "layers.0.attention.wq.weight".
enum class Naming { hugging_face, meta };

/// "hugging_face", "meta".
const char* to_string(Naming naming);

/// The name in files of LlamaImpl's `name` ("layers.0.attn.q_proj.weight"). Throws Error for a name
/// that a model without adapters does not have.
std::string name_in_file(const std::string& name, Naming naming);

/// Number of heads of q_proj or k_proj, whose rows are rotated by position; 0 for other names.
std::int64_t rotated_heads(const std::string& name, const LlamaConfig& config);

/// Reorders rows [heads * e, ...] from the order of Meta and of this project, where rotated pairs
/// are neighbours (2i, 2i + 1), to that of Hugging Face, where they are (i, i + e / 2) within each
/// head; and back. Copies.
torch::Tensor split_pairs(const torch::Tensor& rows, std::int64_t heads);
torch::Tensor join_pairs(const torch::Tensor& rows, std::int64_t heads);

}  // namespace scalemark::llm
