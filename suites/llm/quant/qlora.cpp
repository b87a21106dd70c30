// SPDX-License-Identifier: Apache-2.0
// QLoRA: linear maps with base weights in NF4.
#include "suites/llm/quant/qlora.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "suites/llm/model/lora.hpp"

namespace scalemark::llm {

Nf4Product::Nf4Product(const torch::Tensor& weight) {
  const Nf4Tensor tensor = quantise_nf4(weight);
  packed_ = register_buffer("packed", tensor.packed);
  scalers_ = register_buffer("scalers", tensor.scalers);
  factors_ = register_buffer("factors", tensor.factors);
  mean_ = register_buffer("mean", tensor.mean);
  codebook_ = register_buffer("codebook", tensor.codebook);
  shape_ = tensor.shape;
}

torch::Tensor Nf4Product::product(const torch::Tensor& x, const torch::Tensor& /*weight*/) {
  return nf4_linear(x, tensor(), fused());
}

const std::vector<std::string>& layer_linears() {
  static const std::vector<std::string> names = {"q_proj", "k_proj", "v_proj", "output_proj",
                                                 "w1",     "w2",     "w3"};
  return names;
}

void quantise_base(torch::nn::Module& model, const std::vector<std::string>& names) {
  for (const NamedLinear& linear : find_linears(model, names)) {
    if (linear.module->base_product())
      throw Error(fmt::format("{}: has a base product already", linear.path));
    try {
      linear.module->replace_weight(std::make_shared<Nf4Product>(linear.module->weight));
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", linear.path, error.what()));
    }
  }
}

}  // namespace scalemark::llm
