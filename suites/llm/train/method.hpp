// SPDX-License-Identifier: Apache-2.0
// Fine-tuning methods: trained parameters, settings and FLOPs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <torch/types.h>

#include "common/result/point.hpp"
#include "suites/llm/model/llama.hpp"
#include "suites/llm/optim/adamw.hpp"
#include "suites/llm/train/dpo.hpp"
#include "suites/llm/train/objective.hpp"
#include "suites/llm/train/parallelism.hpp"

namespace scalemark::llm {

enum class Method { lora, qlora, dpo, dpo_full, qat, full };

const std::vector<std::string>& method_names();
/// Throws UsageError that lists the names.
Method parse_method(const std::string& name);

/// Whether only adapters are trained.
bool trains_adapters(Method method);
/// Whether it learns from pairs of answers instead of rows of text.
bool compares_answers(Method method);

/// Weights that share a scale in fake quantisation, as torchao's quantiser has it.
inline constexpr std::int64_t kQatGroup = 256;

/// Type of axis `precision`: fp64, fp32, bf16.
torch::ScalarType element_type(const std::string& precision);

/// Values of axes that stand for those of the method's recipe.
inline constexpr double kOwnRate = 0, kOwnDecay = -1;

/// Settings of torchtune's recipe.
struct Recipe {
  AdamWOptions adamw;
  bool scheduled = false;  ///< warm-up and half a cosine; else constant
  DpoOptions dpo;          ///< of dpo and dpo_full
};
Recipe recipe_of(Method method);
/// Axes `learning_rate`, `weight_decay` and `schedule` in place of the recipe's values.
Recipe recipe_of(const Point& point);
/// Names of axis `schedule`.
const std::vector<std::string>& schedule_names();
/// Sets these axes to "as the recipe" where they have the recipe's values: one key for one
/// training.
void simplify_recipe(Point& point);

/// Model FLOPs per token of a step in rows of `width`. qlora equals lora, qat equals full. dpo and
/// dpo_full add the reference's forward pass, 2 N + 4 layers dim width. Quantisation itself is not
/// counted.
double method_flops(Method method, const LlamaConfig& config, std::int64_t width);
/// The formula as text: FLOPs per token.
std::string flops_formula(Method method);

/// Fills a new part of a model with given weights. `prefix` is the start of its parameters' names
/// in the model: "layers.3.".
using FillPart = std::function<void(torch::nn::Module& part, const std::string& prefix)>;

/// Random model for the method: NF4 base (each layer is quantised as soon as it is made), adapters,
/// fake quantisation. The base is the same for all methods. `made` gets each part in its final
/// form. With `fill` no base weight is drawn, and adapters equal those of a random base. Throws
/// UsageError if groups of kQatGroup divide no width.
Llama make_method_model(Method method, const LlamaConfig& config,
                        const torch::TensorOptions& options, const PartMade& made = {},
                        const FillPart& fill = {});

/// The objective for `model`. `fused`: head and loss in one. dpo_full copies the current model,
/// through `parallelism` if given.
std::unique_ptr<Objective> make_objective(Method method, const Llama& model, bool fused,
                                          Parallelism* parallelism = nullptr);

}  // namespace scalemark::llm
