// SPDX-License-Identifier: Apache-2.0
// Sums of a fine-tuning step: of activations, and of gradients.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "suites/llm/train/forecast.hpp"
#include "suites/llm/train/sharded_traffic.hpp"
#include "suites/llm/train/workload/step_parts.hpp"

namespace scalemark::llm {
namespace {

/// Of all tokens; `width` as axis `width` of micro/elementwise.
Point sum_of_tokens(const StepParts& step, const char* operation, const char* width) {
  Point row = step.axes();
  row["operation"] = std::string(operation);
  row["model"] = step.training.text("model");
  row["tokens"] = step.tokens();
  row["width"] = std::string(width);
  row["fused"] = std::string_view(operation) == "add";
  return row;
}

/// `count` sums in a pass with gradients, and `more` without. A sum hands its gradient on as it is:
/// on a CPU it takes as long either way, but a GPU's host has more to do with gradients.
void add_sum(StepParts& step, std::string_view component, const char* width, std::int64_t count,
             std::int64_t more = 0) {
  const Point row = sum_of_tokens(step, "add", width);
  const bool on_cpu = step.training.text("device") == "cpu";
  step.add_forward(component, "micro/elementwise", row, on_cpu ? count + more : more,
                   step.distance.within_layer);
  if (!on_cpu)
    step.rows.add_passes({std::string(component), "micro/elementwise", row, count}, 0, 0);
}

/// Of products and what their adapters add; mode=tuned scales before the adapter's second product.
void add_adapter_sum(StepParts& step, const char* width, std::int64_t count) {
  if (step.tuned)
    add_sum(step, kAdapters, width, count, count * step.recomputed);
  else
    step.add_operation(kAdapters, "micro/elementwise", sum_of_tokens(step, "scaled_add", width),
                       count, step.recomputed, step.distance.within_layer,
                       step.distance.within_layer);
}

/// Gradients that autograd adds up, where more than one operation takes the same tensor: a layer's
/// input (residual sum and norm), the output of each norm, and what adapters read beside products.
void add_gradient_sums(StepParts& step) {
  // Queries, keys and values; gate and up. All but keys have an adapter, as have the attention's
  // output and the last product of a feed-forward layer.
  const std::int64_t layers = step.config.layers, attention = step.lora ? 4 : 2, residual = 1,
                     others = residual + (step.lora ? 3 + 1 : 1);
  // The first layer's input needs no gradient unless the embedding is trained.
  const std::int64_t backward = step.lora ? layers - 1 : layers;
  add_sum(step, kGradientSums, "dim", backward * (attention + residual) + layers * others);
  if (step.lora) add_sum(step, kGradientSums, "ffn", layers);
}

/// Gradients of the head's weight: of each part, which mode=tuned adds up in the products
/// themselves, and of the embedding where it is the same table. The first sum is a new tensor.
void add_head_gradient_sums(StepParts& step) {
  std::int64_t parts = 0;
  for (const HeadPart& part : step.head_parts()) parts += part.count;
  const std::int64_t sums = (step.tuned ? 0 : parts - 1) + (step.config.tied_output ? 1 : 0),
                     elements = step.config.vocab_size * step.config.dim;
  const auto add = [&](const char* operation, std::int64_t count) {
    step.add_forward(kGradientSums, "micro/elementwise",
                     sum_of_elements(step.axes(), operation, elements), count,
                     step.distance.average);
  };
  add("add", std::min<std::int64_t>(sums, 1));
  add("accumulate", std::max<std::int64_t>(sums - 1, 0));
}

}  // namespace

void add_sums(StepParts& step) {
  const std::int64_t layers = step.config.layers;
  if (step.lora) {
    add_adapter_sum(step, "dim", 3 * layers);
    add_adapter_sum(step, "kv", layers);
    add_adapter_sum(step, "ffn", 2 * layers);
  }
  add_sum(step, kElementwise, "dim", 2 * layers, 2 * layers * (step.recomputed + step.reference));
  add_gradient_sums(step);
  if (!step.lora) add_head_gradient_sums(step);
}

/// The first ones are taken as they are, unless gradients stay in memory of their own. Those of a
/// sharded training are reduced instead.
void add_accumulation(StepParts& step) {
  const std::int64_t taken = gradients_stay(step.training) ? 0 : 1,
                     sums = step.training.integer("accumulation") - taken;
  if (sums == 0 || step.sharded) return;
  for (const at::Tensor& parameter : model_shapes(step.training)->parameters()) {
    if (!parameter.requires_grad()) continue;
    step.add_forward(kGradientSums, "micro/elementwise",
                     sum_of_elements(step.axes(), "accumulate", parameter.numel()), sums,
                     step.distance.average);
  }
}

}  // namespace scalemark::llm
