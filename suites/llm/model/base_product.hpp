// SPDX-License-Identifier: Apache-2.0
// Interface for the product of a linear map with its base weight, where that is not torch::linear.
#pragma once

#include <optional>

#include <torch/nn/module.h>

namespace scalemark::llm {

/// The operands of a linear map: x W^T.
struct Operands {
  torch::Tensor x, weight;
};

/// Replaces the product of a Linear. It is a module, so that tensors it holds instead of the weight
/// are buffers of the model.
class BaseProduct : public torch::nn::Module {
 public:
  /// x W^T [..., out] for x [..., in]. `weight` is the map's parameter [out, in]; undefined if the
  /// product stores the weight in its own format.
  virtual torch::Tensor product(const torch::Tensor& x, const torch::Tensor& weight) = 0;
  /// False (default): the operators of the libraries of the studies, one by one, with what autograd
  /// keeps of them. True: Scalemark's own loops and kernels. Values are equal.
  void fuse(bool on) { fused_ = on; }
  /// Operands for which torch::linear equals product(), with gradients to `x` and `weight`: for
  /// code that computes the product in chunks. Empty if product() is computed differently.
  virtual std::optional<Operands> operands(const torch::Tensor& /*x*/,
                                           const torch::Tensor& /*weight*/) {
    return std::nullopt;
  }

 protected:
  bool fused() const { return fused_; }

 private:
  bool fused_ = false;
};

}  // namespace scalemark::llm
