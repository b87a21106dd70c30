// SPDX-License-Identifier: Apache-2.0
// From the layers of Llama3 to the rows that measure their operations.
#include "suites/llm/train/workload.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "suites/llm/model/config.hpp"
#include "suites/llm/train/method.hpp"
#include "suites/llm/train/sharded_traffic.hpp"
#include "suites/llm/train/workload/step_parts.hpp"

namespace scalemark::llm {
namespace {

bool has_known_rows(const Point& training) {
  return training.integer("sequence") > 0 &&
         (training.flag("packed") ||
          training.integer("pad_multiple") == training.integer("sequence"));
}

/// As many sequences of their mean length as a packed row holds, else whole rows.
void add_attention(StepParts& step) {
  const Point& training = step.training;
  const std::int64_t sequence =
      attends_by_sequence(training)
          ? std::clamp<std::int64_t>(training.integer(kStepSequence), 1, step.width)
          : step.width;
  Point row = step.axes();
  row["model"] = training.text("model");
  row["batch"] = (step.tokens() + sequence / 2) / sequence;
  row["sequence"] = sequence;
  row["fused"] =
      step.tuned || training.text("device") == "cpu" || training.text("precision") != "bf16";
  step.add_operation("attention", "micro/attention", row, step.config.layers,
                     step.recomputed + step.reference);
}

/// Two in each layer, and the last.
void add_normalisations(StepParts& step) {
  Point row = step.axes();
  row["kind"] = std::string("rms");
  row["channels"] = step.config.dim;
  row["rows"] = step.tokens();
  row["layout"] = std::string("nhwc");
  const auto add = [&](std::int64_t count, std::int64_t more) {
    step.add_operation("normalisations", "micro/normalization", row, count, more);
  };
  add(2 * step.config.layers, step.recomputed + step.reference);
  add(1, step.reference);
}

void add_elementwise(StepParts& step) {
  const auto add = [&](const char* operation, const char* width, std::int64_t backward) {
    Point row = step.axes();
    row["operation"] = std::string(operation);
    row["model"] = step.training.text("model");
    row["tokens"] = step.tokens();
    row["width"] = std::string(width);
    row["fused"] = step.tuned;
    step.add_operation(kElementwise, "micro/elementwise", row, step.config.layers,
                       step.recomputed + step.reference, step.distance.within_layer, backward);
  };
  add("swiglu", "dim", step.backward_distance());
  // The gradients of a rotation need nothing from its forward pass.
  add("rotary", "dim", step.distance.within_layer);
  add("rotary", "kv", step.distance.within_layer);
}

void add_losses(StepParts& step) {
  Point row = step.axes();
  if (step.training.text("precision") != "fp64") row["precision"] = std::string("fp32");
  row["vocabulary"] = step.config.vocab_size;
  if (step.reference > 0) row["kind"] = std::string("sequence");
  for (const HeadPart& part : step.head_parts()) {
    row["tokens"] = part.tokens;
    step.add_operation("loss", "micro/cross_entropy", row, part.count, step.reference,
                       step.distance.within_layer, step.distance.within_layer);
  }
}

void add_embedding(StepParts& step) {
  Point row = step.axes();
  row["model"] = step.training.text("model");
  row["tokens"] = step.tokens();
  if (step.lora)
    step.add_forward("embedding", "micro/embedding", row, 1 + step.reference,
                     step.distance.average);
  else
    step.add_operation("embedding", "micro/embedding", row, 1, step.reference,
                       step.distance.average, step.distance.average);
}

/// What the optimiser of one rank steps.
ShardedParts stepped(const StepParts& step) {
  if (step.sharded)
    return trained_parts(model_shapes(step.training), step.training.integer("ranks"));
  if (!step.lora) {
    const ParameterCounts all = count_parameters(step.config);
    return {all.total, all.tensors};
  }
  const LoraConfig adapters;
  return {step.config.layers * count_lora_parameters(step.config, adapters),
          step.config.layers * 2 * static_cast<std::int64_t>(adapters.modules.size())};
}

void add_optimiser(StepParts& step) {
  if (step.training.text("precision") == "bf16") return;  // micro/optimizer has none
  const ShardedParts parts = stepped(step);
  Point row = step.axes();
  row["parameters"] = parts.elements;
  row["tensors"] = parts.tensors;
  const auto add = [&](const char* component, const char* kind) {
    row["kind"] = std::string(kind);
    step.rows.add({component, "micro/optimizer", row, 1, StepPhase::update}, step.distance.average);
  };
  add("gradients", "gradient_norm");
  // Tuned, the loss is scaled; that of answers is a mean already.
  if (!step.tuned && step.reference == 0) add("gradients", "gradient_scale");
  add("optimiser", "adamw");
}

}  // namespace

std::string why_unknown_operations(const Point& point) {
  // Tuned, only answers without their prompts meet the head.
  if (compares_answers(parse_method(point.text("method"))) && point.text("mode") == "tuned")
    return "mode=tuned computes the answers' tokens only, and how many is not recorded";
  if (point.flag("offload")) return "offload=true has its optimiser on the host";
  const auto* const vocabulary = point.find_as<std::int64_t>(kVocabularyFact);
  if (vocabulary != nullptr && *vocabulary != llama_config(point.text("model")).vocab_size)
    return fmt::format("its tokenizer has {} tokens, which is not the model's vocabulary",
                       *vocabulary);
  const auto lacks = [&](const char* metric) { return point.find(metric) == nullptr; };
  if (skips_masked(point) && lacks(kStepLabels))
    return fmt::format("mode=tuned computes tokens in the loss only, and it has no {}",
                       kStepLabels);
  if (attends_by_sequence(point) && lacks(kStepSequence))
    return fmt::format("its rows hold several sequences, and it has no {}", kStepSequence);
  return {};
}

Workload finetuning_workload(const Point& point) {
  if (!has_known_rows(point)) return {};
  StepParts step(point);
  add_products(step);
  add_attention(step);
  add_normalisations(step);
  add_elementwise(step);
  add_sums(step);
  add_losses(step);
  add_embedding(step);
  step.rows.repeat(point.integer("accumulation"));
  add_accumulation(step);
  add_optimiser(step);
  return step.rows.take();
}

Point with_width(Point training, std::int64_t width) {
  training["sequence"] = width;
  training["pad_multiple"] = width;
  return training;
}

}  // namespace scalemark::llm
