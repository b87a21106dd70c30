// SPDX-License-Identifier: Apache-2.0
// Linear maps without bias, and low-rank adapters (LoRA) on them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "suites/llm/model/base_product.hpp"
#include "suites/llm/model/config.hpp"

namespace scalemark::llm {

/// Initial values of weights: random, or unset if they are filled later.
enum class Initial { random, unset };

/// y = W x; with an enabled adapter y = W x + (alpha / rank) B A x. A BaseProduct can replace the
/// computation of W x and the format of W.
class LinearImpl : public torch::nn::Module {
 public:
  /// Kaiming-uniform weight with a = sqrt(5): uniform in +-1 / sqrt(in).
  LinearImpl(std::int64_t in, std::int64_t out, const torch::TensorOptions& options,
             Initial initial = Initial::random);

  torch::Tensor forward(const torch::Tensor& x);
  std::int64_t in_features() const { return in_; }
  std::int64_t out_features() const { return out_; }

  /// From now on `product` computes W x; it becomes module "base". Throws Error if there is one
  /// already.
  void set_base_product(std::shared_ptr<BaseProduct> product);
  /// The same, and `product` stores W in its own format: the weight is removed.
  void replace_weight(std::shared_ptr<BaseProduct> product);
  /// Null if W x is torch::linear.
  const std::shared_ptr<BaseProduct>& base_product() const { return base_; }

  /// Adds modules lora_a (Kaiming-uniform as above) and lora_b (zero), in the type and on the
  /// device of the weight (or of the replaced one). Throws Error if there is an adapter already.
  void add_lora(std::int64_t rank, double alpha);
  bool has_lora() const { return lora_a_ != nullptr; }
  /// Operands for which torch::linear equals forward(x): see BaseProduct. Empty with an adapter.
  std::optional<Operands> operands(const torch::Tensor& x);
  /// False (default): an adapter is scaled at the width of the output, as torchtune does. True: at
  /// that of its rank. Passed on to the BaseProduct.
  void fuse(bool on);
  /// Returns the previous state.
  bool switch_lora(bool on) { return std::exchange(lora_on_, on); }

  torch::Tensor weight;  ///< [out, in]; undefined once replaced

 private:
  std::int64_t in_, out_;
  torch::TensorOptions replaced_;  ///< type and device of the replaced weight
  std::shared_ptr<BaseProduct> base_;
  std::shared_ptr<LinearImpl> lora_a_, lora_b_;
  double lora_scale_ = 0;
  bool lora_on_ = true, fused_ = false;
};
TORCH_MODULE(Linear);

struct NamedLinear {
  std::string path;  ///< layers.0.attn.q_proj
  std::shared_ptr<LinearImpl> module;
};
/// Every Linear in `model` whose own name (last part of its path) is in `names`, in registration
/// order. Throws UsageError for a name without a match.
std::vector<NamedLinear> find_linears(torch::nn::Module& model,
                                      const std::vector<std::string>& names);

/// Adds adapters to every Linear in `model` whose own name is in `lora.modules`, and freezes all
/// other parameters. Throws UsageError for a name without a match.
void add_lora(torch::nn::Module& model, const LoraConfig& lora);

/// Parameters that require a gradient, in registration order.
std::vector<torch::Tensor> trainable_parameters(const torch::nn::Module& model);

/// While it lives, the adapters of `model` are off: the base model serves as reference.
class LoraOff {
 public:
  explicit LoraOff(torch::nn::Module& model);
  ~LoraOff();
  LoraOff(const LoraOff&) = delete;
  LoraOff& operator=(const LoraOff&) = delete;

 private:
  std::vector<std::pair<std::shared_ptr<LinearImpl>, bool>> before_;
};

}  // namespace scalemark::llm
