// SPDX-License-Identifier: Apache-2.0
// Sizes of Llama3 models and what follows from them: parameter counts, FLOPs, memory.
#include "suites/llm/model/config.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace scalemark::llm {
namespace {

constexpr std::int64_t kLargestSize = 1 << 20;
constexpr std::int64_t kLlama3Vocab = 128'256;
constexpr std::uint64_t kWorkspaceBytes = std::uint64_t{96} << 20;  ///< of the matrix libraries

using NamedConfig = std::pair<std::string, LlamaConfig>;

const std::array<NamedConfig, 5>& named_configs() {
  static const std::array<NamedConfig, 5> configs{{
      {"tiny",
       {.vocab_size = 4096,
        .dim = 256,
        .layers = 4,
        .heads = 8,
        .kv_heads = 2,
        .ffn_dim = 704,
        .max_seq_len = 2048}},
      {"110m",
       {.vocab_size = 32'000,
        .dim = 768,
        .layers = 12,
        .heads = 12,
        .kv_heads = 4,
        .ffn_dim = 2048,
        .max_seq_len = 2048}},
      {"1b",
       {.vocab_size = kLlama3Vocab,
        .dim = 2048,
        .layers = 16,
        .heads = 32,
        .kv_heads = 8,
        .ffn_dim = 8192,
        .max_seq_len = 131'072,
        .rope_scale = 32,
        .tied_output = true}},
      {"3b",
       {.vocab_size = kLlama3Vocab,
        .dim = 3072,
        .layers = 28,
        .heads = 24,
        .kv_heads = 8,
        .ffn_dim = 8192,
        .max_seq_len = 131'072,
        .rope_scale = 32,
        .tied_output = true}},
      {"8b",
       {.vocab_size = kLlama3Vocab,
        .dim = 4096,
        .layers = 32,
        .heads = 32,
        .kv_heads = 8,
        .ffn_dim = 14'336,
        .max_seq_len = 8192}},
  }};
  return configs;
}

/// Inputs and outputs of a layer's matrices, in registration order.
struct Matrix {
  const char* name;
  std::int64_t out, in;
};
std::array<Matrix, 7> layer_matrices(const LlamaConfig& config) {
  return {{{"q_proj", config.query_dim(), config.dim},
           {"k_proj", config.key_dim(), config.dim},
           {"v_proj", config.key_dim(), config.dim},
           {"output_proj", config.dim, config.query_dim()},
           {"w1", config.inner_dim(), config.dim},
           {"w2", config.dim, config.inner_dim()},
           {"w3", config.inner_dim(), config.dim}}};
}

}  // namespace

void check(const LlamaConfig& config, const std::string& source) {
  const auto require = [&](bool good, const std::string& what) {
    if (!good) throw InputError(fmt::format("{}: {}", source, what));
  };
  const std::array<std::pair<const char*, std::int64_t>, 7> sizes{
      {{"vocab_size", config.vocab_size},
       {"dim", config.dim},
       {"layers", config.layers},
       {"heads", config.heads},
       {"kv_heads", config.kv_heads},
       {"ffn_dim", config.ffn_dim},
       {"max_seq_len", config.max_seq_len}}};
  for (const auto& [name, value] : sizes) {
    require(value >= 1 && value <= kLargestSize,
            fmt::format("{} is {}; allowed: 1 to {}", name, value, kLargestSize));
  }
  require(config.dim % config.heads == 0,
          fmt::format("dim {} is not a multiple of heads {}", config.dim, config.heads));
  require(config.head_dim() % 2 == 0,
          fmt::format("dim / heads is {}; it must be even", config.head_dim()));
  require(config.heads % config.kv_heads == 0,
          fmt::format("heads {} is not a multiple of kv_heads {}", config.heads, config.kv_heads));
  const auto share = [&](std::int64_t whole) { return whole % config.shards == 0; };
  require(config.shards >= 1, fmt::format("shards is {}; it must be positive", config.shards));
  require(share(config.kv_heads) && share(config.ffn_dim) && share(config.vocab_size),
          fmt::format("{} ranks cannot share kv_heads {}, ffn_dim {} and vocab_size {} equally",
                      config.shards, config.kv_heads, config.ffn_dim, config.vocab_size));
  require(config.rope_base > 1,
          fmt::format("rope_base is {}; it must be above 1", config.rope_base));
  require(config.rope_scale >= 1,
          fmt::format("rope_scale is {}; it must be at least 1", config.rope_scale));
  require(config.norm_eps > 0, fmt::format("norm_eps is {}; it must be positive", config.norm_eps));
}

LlamaConfig llama_config(const std::string& name) {
  for (const auto& [known, config] : named_configs()) {
    if (known == name) return config;
  }
  throw UsageError(
      fmt::format("unknown model '{}'{}", name, text::did_you_mean(name, llama_names())));
}

const std::vector<std::string>& llama_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const auto& [name, config] : named_configs()) result.push_back(name);
    return result;
  }();
  return names;
}

ParameterCounts count_parameters(const LlamaConfig& config) {
  ParameterCounts counts;
  for (const Matrix& matrix : layer_matrices(config)) counts.layer_linear += matrix.out * matrix.in;
  counts.per_layer = counts.layer_linear + 2 * config.dim;
  counts.embedding = config.vocab_size * config.dim;
  const std::int64_t tables = config.tied_output ? 1 : 2;
  const std::int64_t head = config.tied_output ? 0 : counts.embedding / config.shards;
  counts.total = config.layers * counts.per_layer + counts.embedding + head + config.dim;
  counts.tensors = config.layers * 9 + tables + 1;
  return counts;
}

std::int64_t count_lora_parameters(const LlamaConfig& config, const LoraConfig& lora) {
  const auto matrices = layer_matrices(config);
  std::int64_t count = 0;
  for (const std::string& module : lora.modules) {
    const auto* const matrix = std::ranges::find(matrices, module, &Matrix::name);
    if (matrix == matrices.end()) {
      throw UsageError(fmt::format(
          "LoRA module '{}' does not exist (available: q_proj, k_proj, v_proj, output_proj, "
          "w1, w2, w3)",
          module));
    }
    count += lora.rank * (matrix->out + matrix->in);
  }
  return count;
}

double lora_layer_flops(const LlamaConfig& config, const LoraConfig& lora, std::int64_t batch,
                        std::int64_t sequence) {
  const auto linear = static_cast<double>(count_parameters(config).layer_linear);
  const auto adapters = static_cast<double>(count_lora_parameters(config, lora));
  const auto attention = static_cast<double>(config.dim * sequence);
  return static_cast<double>(batch * sequence) * (4 * linear + 6 * adapters + 12 * attention);
}

double training_flops(const LlamaConfig& config, std::int64_t sequence) {
  const ParameterCounts counts = count_parameters(config);
  const auto products = static_cast<double>(config.layers * counts.layer_linear + counts.embedding);
  return 6 * products + 12 * static_cast<double>(config.layers * config.dim * sequence);
}

double lora_training_flops(const LlamaConfig& config, const LoraConfig& lora,
                           std::int64_t sequence) {
  const ParameterCounts counts = count_parameters(config);
  const auto frozen = static_cast<double>(config.layers * counts.layer_linear + counts.embedding);
  const auto adapters = static_cast<double>(config.layers * count_lora_parameters(config, lora));
  return 4 * frozen + 6 * adapters +
         12 * static_cast<double>(config.layers * config.dim * sequence);
}

std::uint64_t lora_layer_bytes(const LlamaConfig& config, const LoraConfig& lora,
                               std::int64_t batch, std::int64_t sequence,
                               std::int64_t element_bytes) {
  const std::int64_t tokens = batch * sequence;
  const std::int64_t kv_dim = config.kv_heads * config.head_dim();
  // Kept for backward per token: residuals, norms, q, k, v before and after rotation and
  // repetition, attention output, and the feed-forward's inner rows. Measured peaks are up to 2.4
  // times that: gradients beside them, and what the allocator cannot reuse.
  const std::int64_t per_token = 5 * (14 * config.dim + 4 * kv_dim + 6 * config.ffn_dim) / 2;
  const std::int64_t elements = count_parameters(config).per_layer +
                                4 * count_lora_parameters(config, lora) + tokens * per_token;
  return static_cast<std::uint64_t>(elements * element_bytes) + kWorkspaceBytes;
}

}  // namespace scalemark::llm
