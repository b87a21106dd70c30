// SPDX-License-Identifier: Apache-2.0
// Rows of an embedding table, and its dense gradient.
#include <torch/types.h>

#include "common/core/benchmark.hpp"
#include "suites/llm/model/config.hpp"
#include "suites/micro/compute/operation.hpp"

namespace scalemark::micro {
namespace {

/// Reads and writes the rows of the tokens; with gradients reads that of each, and writes that of
/// the table.
OperationWork embedding_work(const Point& p) {
  const llm::LlamaConfig config = llm::llama_config(p.text("model"));
  const auto tokens = static_cast<double>(p.integer("tokens"));
  const double rows = passes_of(p).sum(2 * tokens, tokens + static_cast<double>(config.vocab_size));
  return {.bytes = element_bytes(p.text("precision")) * rows * static_cast<double>(config.dim)};
}

Operation embedding_operation(Case& c, const at::TensorOptions& options) {
  const llm::LlamaConfig config = llm::llama_config(c.text("model"));
  const at::Tensor table = torch::randn({config.vocab_size, config.dim}, options).requires_grad_();
  const at::Tensor ids =
      torch::randint(config.vocab_size, {c.integer("tokens")}, options.dtype(at::kLong));
  return {.inputs = {table, ids},
          .forward = [](const Tensors& in) { return at::embedding(in[0], in[1]); },
          .fresh_inputs = 0,
          .formula = [](const Tensors& in, const at::Tensor&) { return in[0].index({in[1]}); }};
}

void embedding(Case& c) { run_operation(c, embedding_operation, embedding_work); }

SCALEMARK_BENCHMARK("micro/embedding", embedding)
    .doc("Embeddings of tokens; with the dense gradient of the table or not")
    .axis("model",
          {.values = llm::llama_names(), .defaults = {"110m"}, .defaults_with_gpu = {"8b"}})
    .axis_integer("tokens", {.minimum = 1,
                             .maximum = 1 << 20,
                             .defaults = "256,2048",
                             .quick = "256",
                             .doc = "Tokens, at random from the vocabulary",
                             .unit = "{token}"})
    .axis("precision", {.values = {"fp64", "fp32", "bf16", "fp16"}, .defaults = {"fp32"}})
    .with(operation_axes)
    .operation_work(embedding_work)
    .memory([](const Point& p) {
      const llm::LlamaConfig config = llm::llama_config(p.text("model"));
      return operation_memory(
          static_cast<double>((config.vocab_size + p.integer("tokens")) * config.dim),
          p.text("precision"));
    });

}  // namespace
}  // namespace scalemark::micro
