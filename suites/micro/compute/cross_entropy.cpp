// SPDX-License-Identifier: Apache-2.0
// Cross-entropy of each token over the vocabulary, as a fine-tuning step calls it.
#include <torch/types.h>

#include "common/core/benchmark.hpp"
#include "common/torch/setup.hpp"
#include "suites/llm/model/loss.hpp"
#include "suites/micro/compute/cache_state.hpp"
#include "suites/micro/compute/operation.hpp"

namespace scalemark::micro {
namespace {

void score(Case& c) {
  const at::TensorOptions options = prepare_operation(c);
  const std::int64_t tokens = c.integer("tokens"), vocabulary = c.integer("vocabulary");
  const at::Tensor labels = torch::randint(vocabulary, {1, tokens}, options.dtype(at::kLong));
  measure_operation(
      c, {.inputs = {torch::randn({1, tokens, vocabulary}, options).requires_grad_(), labels},
          .forward = [](const Tensors& in) { return llm::token_losses(in[0], in[1]); },
          .formula =
              [](const Tensors& in, const at::Tensor&) {
                const at::Tensor chosen = in[0].gather(-1, in[1].unsqueeze(-1)).squeeze(-1);
                return in[0].exp().sum(-1).log() - chosen;
              }});
}

void cross_entropy(Case& c) {
  torch_support::run_body([&] { score(c); });
}

SCALEMARK_BENCHMARK("micro/cross_entropy", cross_entropy)
    .doc("Cross-entropy of tokens over a vocabulary, with its gradient or not")
    .axis("pass", {.values = {"forward", "train"}})
    .axis_integer("vocabulary", {.minimum = 2,
                                 .maximum = 1 << 20,
                                 .defaults = "128256",
                                 .quick = "1000",
                                 .doc = "Classes; 128256 is Llama 3's vocabulary",
                                 .unit = "{class}"})
    .axis_integer("tokens", {.minimum = 1,
                             .maximum = 1 << 17,
                             .defaults = "64,512",
                             .quick = "64",
                             .doc = "Tokens, each with its own logits",
                             .unit = "{token}"})
    .axis("precision", {.values = {"fp64", "fp32", "bf16", "fp16"}, .defaults = {"fp32"}})
    .with(cache_axis)
    .compute_axes()
    .rank_local()
    .memory([](const Point& p) {
      return operation_memory(
          2.0 * static_cast<double>(p.integer("tokens") * p.integer("vocabulary")),
          p.text("precision"));
    })
    .needs("LibTorch");

}  // namespace
}  // namespace scalemark::micro
