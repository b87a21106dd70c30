// SPDX-License-Identifier: Apache-2.0
// Causal attention of Llama3 with grouped heads, as a training calls it.
#include "suites/micro/compute/operations/attention.hpp"

#include "common/core/benchmark.hpp"
#include "suites/llm/model/config.hpp"

namespace scalemark::micro {
namespace {

void attention(Case& c) { run_operation(c, attention_operation, attention_work); }

/// Where flash attention and repeated heads are two ways: llm::has_flash().
bool can_be_fused(const Point& p) {
  return p.text("device") == "cuda" && element_bytes(p.text("precision")) == 2;
}

SCALEMARK_BENCHMARK("micro/attention", attention)
    .doc("Causal attention of a Llama3 layer with grouped heads; all s^2 scores are counted")
    .axis("model", {.values = llm::llama_names(), .defaults = {"1b"}, .defaults_with_gpu = {"8b"}})
    .axis("precision", {.values = {"fp64", "fp32", "bf16", "fp16"},
                        .defaults = {"fp32"},
                        .defaults_with_gpu = {"bf16"}})
    .axis_integer("batch", {.minimum = 1, .maximum = 4096, .defaults = "2"})
    .axis_integer("sequence",
                  {.minimum = 1, .maximum = 1 << 17, .defaults = "128:2048:*4", .quick = "128"})
    .axis_boolean("fused", {.defaults = {true},
                            .implied = true,
                            .doc = "16 bits on a GPU: flash attention takes grouped heads as they "
                                   "are, else they are repeated first"})
    .with(operation_axes)
    .adjust([](Point& p) {
      if (!can_be_fused(p)) p["fused"] = true;
    })
    .operation_work(attention_work)
    .memory(attention_memory);

}  // namespace
}  // namespace scalemark::micro
