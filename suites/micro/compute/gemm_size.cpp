// SPDX-License-Identifier: Apache-2.0
// Sizes of matrix products.
#include "suites/micro/compute/gemm_size.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/base/error.hpp"

namespace scalemark::micro {
namespace {

/// Dimensions of Meta's models (config.json of Meta-Llama-3-8B, Llama-3.2-3B and -1B) and of the
/// small ones of suites/llm.
struct Llama {
  const char* name;
  std::int64_t dim, key_value, feed_forward, vocabulary;
};
constexpr std::array<Llama, 5> kLlamas = {{{"tiny", 256, 64, 704, 4096},
                                           {"110m", 768, 256, 2048, 32000},
                                           {"1b", 2048, 512, 8192, 128256},
                                           {"3b", 3072, 1024, 8192, 128256},
                                           {"8b", 4096, 1024, 14336, 128256}}};

/// Of the adapters that suites/llm trains (LoraConfig).
constexpr std::int64_t kAdapterRank = 8;

/// Inputs and outputs of a linear layer.
struct Layer {
  std::int64_t in, out;
};

Layer layer_of(const std::string& shape, const std::string& model, std::int64_t rows) {
  if (shape == "square" || shape == "best") return {rows, rows};
  const auto* const llama =
      std::ranges::find_if(kLlamas, [&](const Llama& one) { return model == one.name; });
  if (llama == kLlamas.end())
    throw UsageError(
        fmt::format("no model '{}'; allowed: {}", model, fmt::join(gemm_models(), ", ")));
  if (shape == "query") return {llama->dim, llama->dim};
  if (shape == "key_value") return {llama->dim, llama->key_value};
  if (shape == "gate") return {llama->dim, llama->feed_forward};
  if (shape == "feed_forward") return {llama->feed_forward, llama->dim};
  if (shape == "head") return {llama->dim, llama->vocabulary};
  if (shape == "adapter_down") return {llama->dim, kAdapterRank};
  if (shape == "adapter_down_wide") return {llama->feed_forward, kAdapterRank};
  if (shape == "adapter_up") return {kAdapterRank, llama->dim};
  if (shape == "adapter_up_narrow") return {kAdapterRank, llama->key_value};
  if (shape == "adapter_up_wide") return {kAdapterRank, llama->feed_forward};
  throw UsageError(fmt::format("no product '{}'", shape));
}

}  // namespace

double GemmSize::flops() const {
  return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

const std::vector<std::string>& gemm_shapes() {
  static const std::vector<std::string> names = {"square",
                                                 "best",
                                                 "query",
                                                 "key_value",
                                                 "gate",
                                                 "feed_forward",
                                                 "head",
                                                 "adapter_down",
                                                 "adapter_up",
                                                 "adapter_down_wide",
                                                 "adapter_up_narrow",
                                                 "adapter_up_wide"};
  return names;
}

std::vector<std::string> gemm_models() {
  std::vector<std::string> names;
  for (const Llama& llama : kLlamas) names.emplace_back(llama.name);
  return names;
}

const std::vector<std::string>& gemm_products() {
  static const std::vector<std::string> names = {"forward", "input_gradient", "weight_gradient"};
  return names;
}

GemmSize gemm_size(const std::string& shape, const std::string& model, std::int64_t rows,
                   const std::string& product) {
  const Layer layer = layer_of(shape, model, rows);
  if (product == "forward") return {.m = rows, .n = layer.out, .k = layer.in};
  if (product == "input_gradient")
    return {.m = rows, .n = layer.in, .k = layer.out, .w_by_inner = true};
  if (product == "weight_gradient")
    return {.m = layer.out, .n = layer.in, .k = rows, .a_by_inner = true, .w_by_inner = true};
  throw UsageError(fmt::format("no product '{}'", product));
}

std::vector<GemmSize> gemm_candidates(std::int64_t rows) {
  std::vector<std::int64_t> extents;
  for (const std::int64_t part : {1, 2, 4})
    extents.push_back(std::max<std::int64_t>(1, rows / part));
  std::vector<GemmSize> sizes;
  for (const std::int64_t m : extents) {
    for (const std::int64_t n : extents) {
      for (const std::int64_t k : extents) sizes.push_back({.m = m, .n = n, .k = k});
    }
  }
  return sizes;
}

}  // namespace scalemark::micro
