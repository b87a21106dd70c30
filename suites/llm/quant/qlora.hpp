// SPDX-License-Identifier: Apache-2.0
// QLoRA: linear maps whose base is kept in NF4; adapters go on top as on any other.
#pragma once

#include <string>
#include <vector>

#include "suites/llm/model/base_product.hpp"
#include "suites/llm/quant/nf4.hpp"

namespace scalemark::llm {

/// y = x W^T with W in NF4. Its buffers are the tensors of Nf4Tensor: they may be moved to another
/// device, not to another type.
class Nf4Product : public BaseProduct {
 public:
  explicit Nf4Product(const torch::Tensor& weight);
  torch::Tensor product(const torch::Tensor& x, const torch::Tensor& weight) override;
  Nf4Tensor tensor() const { return {packed_, scalers_, factors_, mean_, codebook_, shape_}; }

 private:
  torch::Tensor packed_, scalers_, factors_, mean_, codebook_;
  std::vector<std::int64_t> shape_;
};

/// The linear maps of a decoder layer: what QLoRA quantises (embedding, head and norms it does
/// not).
const std::vector<std::string>& layer_linears();

/// Puts an Nf4Product in place of the weight of every Linear in `model` whose own name is in
/// `names`. Adapters may be there already or come after. Throws UsageError for a name that no
/// module has, and Error, naming the module, for a weight that NF4 does not take; `model` is then
/// partly quantised.
void quantise_base(torch::nn::Module& model,
                   const std::vector<std::string>& names = layer_linears());

}  // namespace scalemark::llm
