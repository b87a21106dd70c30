// SPDX-License-Identifier: Apache-2.0
// Cross-entropy of tokens and of sequences, and their formulas.
#include "suites/micro/compute/operations/cross_entropy.hpp"

#include <algorithm>

#include <torch/types.h>

#include "suites/llm/model/loss.hpp"

namespace scalemark::micro {
namespace {

/// Logarithm of the probability of each token's label [1, tokens].
at::Tensor label_log_probability(const at::Tensor& logits, const at::Tensor& labels) {
  return logits.gather(-1, labels.unsqueeze(-1)).squeeze(-1) - logits.exp().sum(-1).log();
}

}  // namespace

Operation cross_entropy_operation(Case& c, const at::TensorOptions& options) {
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
  return c.text("kind") == "sequence" ? sequence : losses;
}

OperationWork cross_entropy_work(const Point& p) {
  const double element = element_bytes(p.text("precision")),
               tokens = static_cast<double>(p.integer("tokens")),
               logits = element * tokens * static_cast<double>(p.integer("vocabulary")),
               losses = std::max(4.0, element) * (p.text("kind") == "sequence" ? 1 : tokens);
  return {.bytes = operation_bytes(logits + 8 * tokens, losses, logits, passes_of(p))};
}

}  // namespace scalemark::micro
