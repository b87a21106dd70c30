// SPDX-License-Identifier: Apache-2.0
// Methods of fine-tuning.
#include "suites/llm/train/method.hpp"

#include <algorithm>
#include <cstddef>

#include <ATen/Context.h>
#include <fmt/format.h>
#include <torch/utils.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "suites/llm/quant/qat.hpp"
#include "suites/llm/quant/qlora.hpp"

namespace scalemark::llm {
namespace {

/// Name prefix ("layers.3.") in LlamaImpl of the part that follows `layers` finished layers.
std::string prefix_of(torch::nn::Module& part, std::int64_t layers) {
  if (part.as<DecoderLayerImpl>() != nullptr) return fmt::format("layers.{}.", layers);
  if (part.as<RmsNormImpl>() != nullptr) return "norm.";
  return layers == 0 ? "tok_embeddings." : "output.";
}

/// Makes later random numbers independent of how many the base weights drew.
void reseed() {
  torch::manual_seed(at::globalContext().defaultGenerator(torch::kCPU).current_seed() + 1);
}

}  // namespace

const std::vector<std::string>& method_names() {
  static const std::vector<std::string> names{"lora", "qlora", "dpo", "dpo_full", "qat", "full"};
  return names;
}

Method parse_method(const std::string& name) {
  const auto found = std::ranges::find(method_names(), name);
  if (found == method_names().end()) {
    throw UsageError(
        fmt::format("unknown method '{}'{}", name, text::did_you_mean(name, method_names())));
  }
  return static_cast<Method>(found - method_names().begin());
}

bool trains_adapters(Method method) {
  return method == Method::lora || method == Method::qlora || method == Method::dpo;
}

bool compares_answers(Method method) { return method == Method::dpo || method == Method::dpo_full; }

torch::ScalarType element_type(const std::string& precision) {
  if (precision == "fp64") return torch::kFloat64;
  return precision == "bf16" ? torch::kBFloat16 : torch::kFloat32;
}

Recipe recipe_of(Method method) {
  switch (method) {
    case Method::lora:
    case Method::qlora:
      return {.adamw = {.learning_rate = 3e-4, .weight_decay = 0.01}, .scheduled = true, .dpo = {}};
    case Method::dpo:
      return {.adamw = {.learning_rate = 5e-4, .weight_decay = 0.05},
              .scheduled = true,
              .dpo = {.beta = 0.1}};
    case Method::dpo_full:
      return {.adamw = {.learning_rate = 2e-5, .weight_decay = 0.05},
              .scheduled = true,
              .dpo = {.beta = 0.05}};
    case Method::qat:
    case Method::full:
      break;
  }
  return {.adamw = {.learning_rate = 2e-5, .weight_decay = 0.01}, .scheduled = false, .dpo = {}};
}

const std::vector<std::string>& schedule_names() {
  static const std::vector<std::string> names = {"recipe", "cosine", "constant"};
  return names;
}

Recipe recipe_of(const Point& point) {
  Recipe recipe = recipe_of(parse_method(point.text("method")));
  if (const double rate = point.number("learning_rate"); rate > 0)
    recipe.adamw.learning_rate = rate;
  if (const double decay = point.number("weight_decay"); decay >= 0)
    recipe.adamw.weight_decay = decay;
  if (point.text("schedule") != "recipe") recipe.scheduled = point.text("schedule") == "cosine";
  return recipe;
}

void simplify_recipe(Point& point) {
  const Recipe own = recipe_of(parse_method(point.text("method"))), given = recipe_of(point);
  if (given.adamw.learning_rate == own.adamw.learning_rate) point["learning_rate"] = kOwnRate;
  if (given.adamw.weight_decay == own.adamw.weight_decay) point["weight_decay"] = kOwnDecay;
  if (given.scheduled == own.scheduled) point["schedule"] = std::string("recipe");
}

double method_flops(Method method, const LlamaConfig& config, std::int64_t width) {
  const double all_weights = training_flops(config, width);
  const double training =
      trains_adapters(method) ? lora_training_flops(config, {}, width) : all_weights;
  // A forward pass is a third of a training with all weights.
  return training + (compares_answers(method) ? all_weights / 3 : 0);
}

std::string flops_formula(Method method) {
  switch (method) {
    case Method::lora:
    case Method::qlora:
      return "4 N + 6 N_lora + 12 layers dim width";
    case Method::dpo:
      return "4 N + 6 N_lora + 12 layers dim width, and 2 N + 4 layers dim width of the reference";
    case Method::dpo_full:
      return "6 N + 12 layers dim width, and 2 N + 4 layers dim width of the reference";
    case Method::qat:
    case Method::full:
      break;
  }
  return "6 N + 12 layers dim width";
}

Llama make_method_model(Method method, const LlamaConfig& config,
                        const torch::TensorOptions& options, const PartMade& made,
                        const FillPart& fill) {
  std::int64_t layers = 0;
  const auto finish = [&](torch::nn::Module& part) {
    const bool is_layer = part.as<DecoderLayerImpl>() != nullptr;
    if (fill) fill(part, prefix_of(part, layers));
    if (method == Method::qlora && is_layer) quantise_base(part);
    if (is_layer) ++layers;
    if (made) made(part);
  };
  Llama model(config, options, finish, fill ? Initial::unset : Initial::random);
  if (trains_adapters(method)) {
    reseed();
    add_lora(*model, {});
  }
  if (method == Method::qat) prepare_qat(*model, {.group = kQatGroup});
  return model;
}

std::unique_ptr<Objective> make_objective(Method method, const Llama& model, bool fused,
                                          Parallelism* parallelism) {
  if (!compares_answers(method)) return std::make_unique<LanguageModelling>(fused);
  const DpoOptions options = recipe_of(method).dpo;
  if (method == Method::dpo) return std::make_unique<Preference>(options, fused);
  return std::make_unique<Preference>(
      options, fused,
      parallelism == nullptr ? frozen_copy(model) : parallelism->make_frozen_copy(model));
}

}  // namespace scalemark::llm
