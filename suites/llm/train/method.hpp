// SPDX-License-Identifier: Apache-2.0
// Methods of fine-tuning: what each trains, with which settings, and what it computes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <torch/types.h>

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

/// Only adapters are trained; else all weights are.
bool trains_adapters(Method method);
/// Learns from pairs of answers; else from rows of text.
bool compares_answers(Method method);

/// Weights that share a scale in fake quantisation, as torchao's quantiser has it.
inline constexpr std::int64_t kQatGroup = 256;

/// Of axis `precision`: fp64, fp32, bf16.
torch::ScalarType element_type(const std::string& precision);

/// Settings of torchtune's recipe.
struct Recipe {
  AdamWOptions adamw;
  bool scheduled = false;  ///< warm-up and half a cosine; else one rate
  DpoOptions dpo;          ///< of dpo and dpo_full
};
Recipe recipe_of(Method method);

/// Model FLOPs of a token of a step in rows of `width`. qlora as lora, qat as full; dpo and
/// dpo_full add a forward pass for the reference, 2 N + 4 layers dim width. Making quantised
/// weights is not counted.
double method_flops(Method method, const LlamaConfig& config, std::int64_t width);
/// The formula as text: FLOPs of a token.
std::string flops_formula(Method method);

/// Gives a part of a model, right after it was made, weights from elsewhere; `prefix` is what its
/// parameters' names begin with in the model: "layers.3.".
using FillPart = std::function<void(torch::nn::Module& part, const std::string& prefix)>;

/// Random model as the method trains it: NF4 base (each layer is quantised as soon as it is made),
/// adapters, fake quantisation. The base is the same for all methods. `made` gets each part as it
/// is kept; with `fill` no weight is drawn, and adapters are those of a random base. Throws
/// UsageError where groups of kQatGroup divide no width.
Llama make_method_model(Method method, const LlamaConfig& config,
                        const torch::TensorOptions& options, const PartMade& made = {},
                        const FillPart& fill = {});

/// What `model` is trained for. `fused`: heads and losses in one. dpo_full copies the model as it
/// is now, by `parallelism` where it is given.
std::unique_ptr<Objective> make_objective(Method method, const Llama& model, bool fused,
                                          Parallelism* parallelism = nullptr);

}  // namespace scalemark::llm
