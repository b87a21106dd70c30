// SPDX-License-Identifier: Apache-2.0
// QLoRA: linear maps with base weights in NF4; LoRA adapters can be added as usual.
#pragma once

#include <string>
#include <vector>

#include "suites/llm/model/base_product.hpp"
#include "suites/llm/quant/nf4.hpp"

namespace scalemark::llm {

/// y = x W^T with W in NF4. Its buffers are the tensors of Nf4Tensor: they can move to another
/// device, but not change type.
class Nf4Product : public BaseProduct {
 public:
  explicit Nf4Product(const torch::Tensor& weight);
  torch::Tensor product(const torch::Tensor& x, const torch::Tensor& weight) override;
  Nf4Tensor tensor() const { return {packed_, scalers_, factors_, mean_, codebook_, shape_}; }

 private:
  torch::Tensor packed_, scalers_, factors_, mean_, codebook_;
  std::vector<std::int64_t> shape_;
};

/// Names of the linear maps of a decoder layer, which QLoRA quantises; embedding, head and norms
/// are not quantised.
const std::vector<std::string>& layer_linears();

/// Replaces the weight of every Linear in `model` whose own name is in `names` by an Nf4Product.
/// Adapters may be added before or after. Throws UsageError for a name without a match. Throws
/// Error, naming the module, for a weight that NF4 does not support; `model` is then partly
/// quantised.
void quantise_base(torch::nn::Module& model,
                   const std::vector<std::string>& names = layer_linears());

}  // namespace scalemark::llm
