// SPDX-License-Identifier: Apache-2.0
// Cross-entropy of each token over the vocabulary, as a fine-tuning step calls it.
#include "suites/micro/compute/operations/cross_entropy.hpp"

#include "common/core/benchmark.hpp"

namespace scalemark::micro {
namespace {

void cross_entropy(Case& c) { run_operation(c, cross_entropy_operation, cross_entropy_work); }

SCALEMARK_BENCHMARK("micro/cross_entropy", cross_entropy)
    .doc("Cross-entropy of tokens over a vocabulary, with its gradient or not")
    .axis("kind",
          {.values = {"token", "sequence"},
           .defaults = {"token"},
           .implied = "token",
           .doc = "Loss of each token, or log-probability of a whole sequence, as DPO takes "
                  "it"})
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
    .with(operation_axes)
    .operation_work(cross_entropy_work)
    .memory([](const Point& p) {
      return operation_memory(
          2.0 * static_cast<double>(p.integer("tokens") * p.integer("vocabulary")),
          p.text("precision"));
    });

}  // namespace
}  // namespace scalemark::micro
