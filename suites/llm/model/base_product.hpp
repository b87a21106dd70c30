// SPDX-License-Identifier: Apache-2.0
// How a linear map multiplies by its base weight, where that is not torch::linear.
#pragma once

#include <optional>

#include <torch/nn/module.h>

namespace scalemark::llm {

/// What a linear map multiplies: x W^T.
struct Operands {
  torch::Tensor x, weight;
};

/// A product put in place of a Linear's own. It is a module, so that tensors that it holds instead
/// of the weight are buffers of the model.
class BaseProduct : public torch::nn::Module {
 public:
  /// x W^T [..., out] of x [..., in]. `weight` is the map's parameter [out, in]; undefined where
  /// the product holds the weight in a form of its own.
  virtual torch::Tensor product(const torch::Tensor& x, const torch::Tensor& weight) = 0;
  /// Tensors of which product() is torch::linear, with gradients to `x` and `weight`: for what
  /// computes it part by part. Nothing where it is made in another way.
  virtual std::optional<Operands> operands(const torch::Tensor& /*x*/,
                                           const torch::Tensor& /*weight*/) {
    return std::nullopt;
  }
};

}  // namespace scalemark::llm
