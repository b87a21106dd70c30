// SPDX-License-Identifier: Apache-2.0
// Rows of an embedding table, and its dense gradient.
#include <torch/types.h>

#include "common/core/benchmark.hpp"
#include "common/torch/setup.hpp"
#include "suites/llm/model/config.hpp"
#include "suites/micro/compute/cache_state.hpp"
#include "suites/micro/compute/operation.hpp"

namespace scalemark::micro {
namespace {

void look_up(Case& c) {
  const at::TensorOptions options = prepare_operation(c);
  const llm::LlamaConfig config = llm::llama_config(c.text("model"));
  const std::int64_t tokens = c.integer("tokens");
  const at::Tensor table = torch::randn({config.vocab_size, config.dim}, options).requires_grad_();
  const at::Tensor ids = torch::randint(config.vocab_size, {tokens}, options.dtype(at::kLong));
  const auto row = static_cast<double>(config.dim) * static_cast<double>(table.element_size());
  // Reads and writes the rows; then reads the gradient of each and writes that of the table.
  const double forward = 2.0 * static_cast<double>(tokens) * row,
               backward = static_cast<double>(tokens + config.vocab_size) * row;
  measure_operation(
      c, {.inputs = {table, ids},
          .forward = [](const Tensors& in) { return at::embedding(in[0], in[1]); },
          .formula = [](const Tensors& in, const at::Tensor&) { return in[0].index({in[1]}); },
          .bytes = c.text("pass") == "train" ? forward + backward : forward});
}

void embedding(Case& c) {
  torch_support::run_body([&] { look_up(c); });
}

SCALEMARK_BENCHMARK("micro/embedding", embedding)
    .doc("Embeddings of tokens; with the dense gradient of the table or not")
    .axis("pass", {.values = {"forward", "train"}})
    .axis("model",
          {.values = llm::llama_names(), .defaults = {"110m"}, .defaults_with_gpu = {"8b"}})
    .axis_integer("tokens", {.minimum = 1,
                             .maximum = 1 << 20,
                             .defaults = "256,2048",
                             .quick = "256",
                             .doc = "Tokens, at random from the vocabulary",
                             .unit = "{token}"})
    .axis("precision", {.values = {"fp64", "fp32", "bf16", "fp16"}, .defaults = {"fp32"}})
    .with(cache_axis)
    .compute_axes()
    .rank_local()
    .memory([](const Point& p) {
      const llm::LlamaConfig config = llm::llama_config(p.text("model"));
      return operation_memory(
          static_cast<double>((config.vocab_size + p.integer("tokens")) * config.dim),
          p.text("precision"));
    })
    .needs("LibTorch");

}  // namespace
}  // namespace scalemark::micro
