// SPDX-License-Identifier: Apache-2.0
// Quantisation-aware training: linear maps that compute with fake-quantised weights and
// activations.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "suites/llm/model/base_product.hpp"
#include "suites/llm/quant/fake_quant.hpp"

namespace scalemark::llm {

/// fake_quant_linear(), or fake_quant_linear_by_operators() if it is not fused; switched off it
/// equals torch::linear bit for bit.
class FakeQuantProduct : public BaseProduct {
 public:
  explicit FakeQuantProduct(const FakeQuantOptions& options) : options_(options) {}
  torch::Tensor product(const torch::Tensor& x, const torch::Tensor& weight) override;
  std::optional<Operands> operands(const torch::Tensor& x, const torch::Tensor& weight) override;
  /// Returns the previous state.
  bool switch_on(bool on) { return std::exchange(on_, on); }

 private:
  FakeQuantOptions options_;
  bool on_ = true;
};

/// Puts a FakeQuantProduct on every Linear in `model` whose in_features the group divides: the head
/// too, the embedding (also where it is the head) and LoRA's own matrices not. Returns their paths
/// in registration order. Throws UsageError if there is none, Error for one that has another
/// product.
std::vector<std::string> prepare_qat(torch::nn::Module& model, const FakeQuantOptions& options);

/// Switches all FakeQuantProducts of `model`.
void switch_fake_quant(torch::nn::Module& model, bool on);

}  // namespace scalemark::llm
