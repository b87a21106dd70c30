// SPDX-License-Identifier: Apache-2.0
// Matrix products of a fine-tuning step.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "suites/llm/train/workload/step_parts.hpp"

namespace scalemark::llm {
namespace {

/// Products of one layer.
struct Product {
  const char* shape;
  std::int64_t rows;
  /// Of the weight, forward and for the gradients.
  std::int64_t forward_distance, backward_distance;
  std::int64_t batch = 1;  ///< parts of the rows
};

/// How many there are of the forward pass, of gradients of inputs, and of weights.
struct ProductCounts {
  std::int64_t forward, back, trained;
};

void add_plain(StepParts& step, std::string_view component, const Product& product,
               const ProductCounts& counts) {
  const auto one = [&](const char* kind, std::int64_t count, std::int64_t reuse_distance) {
    Point row = step.axes();
    row["shape"] = std::string(product.shape);
    row["model"] = step.training.text("model");
    row["rows"] = product.rows;
    row["batch"] = product.batch;
    row["product"] = std::string(kind);
    step.rows.add({std::string(component), "micro/gemm", row, count}, reuse_distance);
  };
  one("forward", counts.forward, product.forward_distance);
  one("input_gradient", counts.back, product.backward_distance);
  one("weight_gradient", counts.trained, product.backward_distance);
}

/// Layers that are no plain products: `back` with their gradients, the other forward passes
/// without.
void add_quantised(StepParts& step, const char* shape, std::int64_t rows, std::int64_t forward,
                   std::int64_t back) {
  Point row = step.axes();
  row["kind"] = std::string(step.method == Method::qlora ? "nf4" : "fake_quant");
  row["shape"] = std::string(shape);
  row["model"] = step.training.text("model");
  row["rows"] = rows;
  row["fused"] = step.tuned;
  const std::int64_t distance = step.distance.average;
  step.add_operation(kProducts, "micro/quantized_linear", row, back, 0, distance,
                     step.backward_distance());
  step.add_forward(kProducts, "micro/quantized_linear", row, forward - back, distance);
}

/// Of one shape in all layers.
void add_layer_products(StepParts& step, const char* shape, std::int64_t layers,
                        std::int64_t back) {
  const std::int64_t forward = layers * (1 + step.recomputed + step.reference);
  if (step.is_quantised(shape))
    add_quantised(step, shape, step.tokens(), forward, back);
  else
    add_plain(step, kProducts,
              {.shape = shape,
               .rows = step.tokens(),
               .forward_distance = step.distance.average,
               .backward_distance = step.backward_distance()},
              {.forward = forward, .back = back, .trained = step.lora ? 0 : layers});
}

/// Adapters of all matrices but the keys', as LoraConfig has them. They read and write what the
/// product beside them does.
void add_adapters(StepParts& step) {
  const auto of = [&](const char* shape, std::int64_t each, std::int64_t without_gradient) {
    const std::int64_t all = each * step.config.layers;
    add_plain(
        step, kAdapters,
        {.shape = shape,
         .rows = step.tokens(),
         .forward_distance = step.distance.within_layer,
         .backward_distance = step.distance.within_layer},
        {.forward = all * (1 + step.recomputed), .back = all - without_gradient, .trained = all});
  };
  // The first layer's input needs no gradient: its queries and values have it.
  of("adapter_down", 5, 2);
  of("adapter_down_wide", 1, 0);
  of("adapter_up", 3, 0);
  of("adapter_up_narrow", 1, 0);
  of("adapter_up_wide", 2, 0);
}

/// Parts of the head have rows of several texts, which do not follow each other in memory. LibTorch
/// copies them for one product if the weight is trained, else it calls bmm (at::matmul()).
bool has_batched_head(const StepParts& step) {
  return step.lora && !step.tuned && step.reference == 0;
}

/// `weight_distance`: since the part before.
void add_head(StepParts& step, const HeadPart& part, std::int64_t weight_distance) {
  // Tuned, the head's weights are quantised once for all parts, for which there is no row.
  if (!step.tuned && step.is_quantised("head"))
    return add_quantised(step, "head", part.tokens, part.count, part.count);
  add_plain(step, kProducts,
            {.shape = "head",
             .rows = part.tokens,
             .forward_distance = weight_distance,
             .backward_distance = weight_distance,
             .batch = has_batched_head(step) ? step.batch : 1},
            {.forward = part.count * (1 + step.reference),
             .back = part.count,
             .trained = step.lora ? 0 : part.count});
}

}  // namespace

void add_products(StepParts& step) {
  const std::int64_t layers = step.config.layers;
  // The first layer's input needs no gradient unless the embedding is trained.
  const std::int64_t first = step.lora ? 1 : 0;
  add_layer_products(step, "query", 2 * layers, 2 * layers - first);
  add_layer_products(step, "key_value", 2 * layers, 2 * (layers - first));
  add_layer_products(step, "gate", 2 * layers, 2 * layers);
  add_layer_products(step, "feed_forward", layers, layers);
  if (step.lora) add_adapters(step);
  const std::vector<HeadPart> parts = step.head_parts();
  const bool is_one = parts.size() == 1 && parts.front().count == 1;
  for (const HeadPart& part : parts)
    add_head(step, part, is_one ? step.distance.average : step.distance.within_layer);
}

}  // namespace scalemark::llm
