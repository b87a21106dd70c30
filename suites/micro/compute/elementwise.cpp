// SPDX-License-Identifier: Apache-2.0
// Elementwise operations of a Llama3 layer, and sums of any size.
#include "suites/micro/compute/operations/elementwise.hpp"

#include "common/core/benchmark.hpp"
#include "suites/llm/model/config.hpp"

namespace scalemark::micro {
namespace {

void elementwise(Case& c) { run_operation(c, elementwise_operation, elementwise_work); }

/// A sum hands its gradient on, one in place adds gradients up; others are as in a layer.
bool is_elementwise_sensible(const Point& p) {
  const std::string &operation = p.text("operation"), &width = p.text("width");
  if (operation == "accumulate") return p.text("pass") == "forward" && p.flag("fused");
  if (operation == "add") return p.text("pass") != "backward" && p.flag("fused");
  if (p.integer("elements") > 0) return false;
  if (operation == "swiglu") return width == "dim";
  if (operation == "rotary") return width != "ffn";
  return !p.flag("fused");
}

SCALEMARK_BENCHMARK("micro/elementwise", elementwise)
    .doc("Elementwise operations of a Llama3 layer, with their gradients or not")
    .axis("operation", {.values = {"swiglu", "rotary", "add", "scaled_add", "accumulate"},
                        .defaults = {"swiglu", "rotary", "add"},
                        .doc = "SwiGLU, rotary positions, a sum, of a scaled adapter, or in place"})
    .axis("model", {.values = llm::llama_names(), .defaults = {"1b"}, .defaults_with_gpu = {"8b"}})
    .axis_integer("tokens", {.minimum = 1,
                             .maximum = 8192,
                             .defaults = "256,2048",
                             .quick = "256",
                             .doc = "Tokens of one sequence",
                             .unit = "{token}"})
    .axis("width", {.values = {"dim", "kv", "ffn"},
                    .defaults = {"dim"},
                    .implied = "dim",
                    .doc = "Elements of a token: of the state, the keys, the feed-forward layer"})
    .axis_integer("elements", {.minimum = 0,
                               .maximum = std::int64_t{1} << 32,
                               .defaults = "0",
                               .implied = 0,
                               .doc = "Of a tensor that is added up; 0: of the tokens",
                               .unit = "{element}"})
    .axis_boolean("fused",
                  {.defaults = {true}, .implied = true, .doc = "With a gradient of its own"})
    .axis("precision", {.values = {"fp64", "fp32", "bf16", "fp16"}, .defaults = {"fp32"}})
    .with(operation_axes)
    .adjust([](Point& p) {
      if (p.text("operation") == "scaled_add") p["fused"] = false;  // there is no other
      if (p.integer("elements") > 0) p["model"] = "tiny", p["tokens"] = 1, p["width"] = "dim";
    })
    .where(is_elementwise_sensible)
    .operation_work(elementwise_work)
    .memory(elementwise_memory);

}  // namespace
}  // namespace scalemark::micro
