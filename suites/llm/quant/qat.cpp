// SPDX-License-Identifier: Apache-2.0
// Quantisation-aware training: linear maps that compute with fake-quantised weights and
// activations.
#include "suites/llm/quant/qat.hpp"

#include <memory>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/torch/products.hpp"
#include "suites/llm/model/lora.hpp"

namespace scalemark::llm {

torch::Tensor FakeQuantProduct::product(const torch::Tensor& x, const torch::Tensor& weight) {
  if (!on_) return torch_support::linear(x, weight);
  return fused() ? fake_quant_linear(x, weight, options_)
                 : fake_quant_linear_by_operators(x, weight, options_);
}

std::optional<Operands> FakeQuantProduct::operands(const torch::Tensor& x,
                                                   const torch::Tensor& weight) {
  if (!on_) return Operands{x, weight};
  return Operands{straight_through_tokens(x, options_), straight_through_weight(weight, options_)};
}

std::vector<std::string> prepare_qat(torch::nn::Module& model, const FakeQuantOptions& options) {
  if (options.group < 1)
    throw UsageError(fmt::format("a group of {} weights; allowed: 1 or more", options.group));
  std::vector<std::string> paths;
  for (const auto& module : model.named_modules()) {
    const std::string name = module.key().substr(module.key().rfind('.') + 1);
    auto* const linear = module.value()->as<LinearImpl>();
    if (linear == nullptr || name == "tok_embeddings" || name.starts_with("lora_")) continue;
    if (linear->in_features() % options.group != 0) continue;
    if (linear->base_product())
      throw Error(fmt::format("{}: has a base product already", module.key()));
    linear->set_base_product(std::make_shared<FakeQuantProduct>(options));
    paths.push_back(module.key());
  }
  if (paths.empty()) {
    throw UsageError(fmt::format("no linear map of the model has a width that groups of {} divide",
                                 options.group));
  }
  return paths;
}

void switch_fake_quant(torch::nn::Module& model, bool on) {
  for (const auto& module : model.modules(/*include_self=*/false)) {
    auto* const product = module->as<FakeQuantProduct>();
    if (product != nullptr) product->switch_on(on);
  }
}

}  // namespace scalemark::llm
