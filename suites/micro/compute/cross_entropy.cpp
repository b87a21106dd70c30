// SPDX-License-Identifier: Apache-2.0
// Cross-entropy of each token over the vocabulary, as a fine-tuning step calls it.
#include <algorithm>

#include <torch/types.h>

#include "common/core/benchmark.hpp"
#include "common/torch/setup.hpp"
#include "suites/llm/model/loss.hpp"
#include "suites/micro/compute/cache_state.hpp"
#include "suites/micro/compute/operation.hpp"

namespace scalemark::micro {
namespace {

/// Logarithm of the probability of each token's label [1, tokens].
at::Tensor label_log_probability(const at::Tensor& logits, const at::Tensor& labels) {
  return logits.gather(-1, labels.unsqueeze(-1)).squeeze(-1) - logits.exp().sum(-1).log();
}

void score(Case& c) {
  const at::TensorOptions options = prepare_operation(c);
  const std::int64_t tokens = c.integer("tokens"), vocabulary = c.integer("vocabulary");
  const at::Tensor labels = torch::randint(vocabulary, {1, tokens}, options.dtype(at::kLong)),
                   logits = torch::randn({1, tokens, vocabulary}, options).requires_grad_();
  Operation losses{
      .inputs = {logits, labels},
      .forward = [](const Tensors& in) { return llm::token_losses(in[0], in[1]); },
      .formula = [](const Tensors& in,
                    const at::Tensor&) { return -label_log_probability(in[0], in[1]); }};
  Operation sequence{
      .inputs = {logits, labels},
      .forward = [](const Tensors& in) { return llm::sequence_log_probability(in[0], in[1]); },
      .formula =  // the last place predicts nothing
      [tokens](const Tensors& in, const at::Tensor&) {
        return label_log_probability(in[0], in[1]).narrow(1, 0, tokens - 1).sum(1);
      }};
  measure_operation(c, c.text("kind") == "sequence" ? sequence : losses);
}

/// Logits, labels of 8 bytes, and a loss of each token, of a sequence one, in at least fp32.
OperationWork cross_entropy_work(const Point& p) {
  const double element = element_bytes(p.text("precision")),
               tokens = static_cast<double>(p.integer("tokens")),
               logits = element * tokens * static_cast<double>(p.integer("vocabulary")),
               losses = std::max(4.0, element) * (p.text("kind") == "sequence" ? 1 : tokens);
  return {.bytes = operation_bytes(logits + 8 * tokens, losses, logits, p.text("pass") == "train")};
}

void cross_entropy(Case& c) {
  torch_support::run_body([&] { score(c); });
}

SCALEMARK_BENCHMARK("micro/cross_entropy", cross_entropy)
    .doc("Cross-entropy of tokens over a vocabulary, with its gradient or not")
    .axis("kind",
          {.values = {"token", "sequence"},
           .defaults = {"token"},
           .implied = "token",
           .doc = "Loss of each token, or log-probability of a whole sequence, as DPO takes "
                  "it"})
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
    .operation_work(cross_entropy_work)
    .memory([](const Point& p) {
      return operation_memory(
          2.0 * static_cast<double>(p.integer("tokens") * p.integer("vocabulary")),
          p.text("precision"));
    })
    .needs("LibTorch");

}  // namespace
}  // namespace scalemark::micro
