// SPDX-License-Identifier: Apache-2.0
// Linear maps without bias, and low-rank adapters (LoRA) on them.
#include "suites/llm/model/lora.hpp"

#include <cmath>
#include <set>
#include <string>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/torch/products.hpp"

namespace scalemark::llm {

LinearImpl::LinearImpl(std::int64_t in, std::int64_t out, const torch::TensorOptions& options,
                       Initial initial)
    : in_(in), out_(out) {
  const double bound = 1 / std::sqrt(static_cast<double>(in));
  torch::Tensor values = torch::empty({out, in}, options);
  if (initial == Initial::random) values.uniform_(-bound, bound);
  weight = register_parameter("weight", values);
}

torch::Tensor LinearImpl::forward(const torch::Tensor& x) {
  torch::Tensor y = base_ ? base_->product(x, weight) : torch_support::linear(x, weight);
  if (!has_lora() || !lora_on_) return y;
  const torch::Tensor low = lora_a_->forward(x);
  return y + (fused_ ? lora_b_->forward(low * lora_scale_) : lora_b_->forward(low) * lora_scale_);
}

std::optional<Operands> LinearImpl::operands(const torch::Tensor& x) {
  if (has_lora()) return std::nullopt;
  return base_ ? base_->operands(x, weight) : Operands{x, weight};
}

void LinearImpl::set_base_product(std::shared_ptr<BaseProduct> product) {
  if (base_) throw Error("a linear map can have one base product only");
  base_ = register_module("base", std::move(product));
  base_->fuse(fused_);
}

void LinearImpl::fuse(bool on) {
  fused_ = on;
  if (base_) base_->fuse(on);
}

void LinearImpl::replace_weight(std::shared_ptr<BaseProduct> product) {
  set_base_product(std::move(product));
  replaced_ = weight.options();
  parameters_.erase("weight");
  weight.reset();
}

void LinearImpl::add_lora(std::int64_t rank, double alpha) {
  if (has_lora()) throw Error("a linear map can have one LoRA adapter only");
  const torch::TensorOptions options = weight.defined() ? weight.options() : replaced_;
  lora_a_ = register_module("lora_a", std::make_shared<LinearImpl>(in_, rank, options));
  lora_b_ = register_module("lora_b", std::make_shared<LinearImpl>(rank, out_, options));
  const torch::NoGradGuard no_grad;
  lora_b_->weight.zero_();
  lora_scale_ = alpha / static_cast<double>(rank);
}

std::vector<NamedLinear> find_linears(torch::nn::Module& model,
                                      const std::vector<std::string>& names) {
  std::vector<NamedLinear> found;
  std::set<std::string> missing(names.begin(), names.end());
  const std::set<std::string> wanted = missing;
  for (const auto& module : model.named_modules()) {
    const std::string name = module.key().substr(module.key().rfind('.') + 1);
    auto linear = std::dynamic_pointer_cast<LinearImpl>(module.value());
    if (linear == nullptr || !wanted.contains(name)) continue;
    found.push_back({module.key(), std::move(linear)});
    missing.erase(name);
  }
  if (!missing.empty()) {
    throw UsageError(
        fmt::format("module '{}' does not exist in the model (available: q_proj, k_proj, v_proj, "
                    "output_proj, w1, w2, w3, output)",
                    *missing.begin()));
  }
  return found;
}

void add_lora(torch::nn::Module& model, const LoraConfig& lora) {
  for (torch::Tensor& parameter : model.parameters()) parameter.set_requires_grad(false);
  for (const NamedLinear& linear : find_linears(model, lora.modules))
    linear.module->add_lora(lora.rank, lora.alpha);
}

std::vector<torch::Tensor> trainable_parameters(const torch::nn::Module& model) {
  std::vector<torch::Tensor> result;
  for (const torch::Tensor& parameter : model.parameters()) {
    if (parameter.requires_grad()) result.push_back(parameter);
  }
  return result;
}

LoraOff::LoraOff(torch::nn::Module& model) {
  for (const auto& module : model.modules(/*include_self=*/false)) {
    auto linear = std::dynamic_pointer_cast<LinearImpl>(module);
    if (linear == nullptr || !linear->has_lora()) continue;
    const bool was_on = linear->switch_lora(false);
    before_.emplace_back(std::move(linear), was_on);
  }
}

LoraOff::~LoraOff() {
  for (auto& [linear, was_on] : before_) linear->switch_lora(was_on);
}

}  // namespace scalemark::llm
