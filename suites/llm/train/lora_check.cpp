// SPDX-License-Identifier: Apache-2.0
// Random data for one layer, and what must hold for a layer with fresh LoRA adapters on it.
#include "suites/llm/train/lora_check.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <torch/utils.h>

namespace scalemark::llm {
namespace {

constexpr int kSteps = 3;
constexpr double kRelativeChange = 1e-4;  ///< of the loss, between prediction and finite difference
constexpr double kSlopeTolerance = 0.01;
/// Relative difference (norm) of gradients with and without checkpointing; at least four roundings
/// are allowed.
constexpr double kGradientTolerance = 1e-3;

std::uint64_t count(const torch::Tensor& condition) {
  return static_cast<std::uint64_t>(condition.sum().item<std::int64_t>());
}

std::vector<torch::Tensor> parameters_ending(DecoderLayer& layer, const char* end) {
  std::vector<torch::Tensor> result;
  for (const auto& item : layer->named_parameters()) {
    if (item.key().ends_with(end)) result.push_back(item.value());
  }
  return result;
}

/// Loss after moving each lora_b by `distance` times its gradient.
template <typename Loss>
double loss_moved(const std::vector<torch::Tensor>& lora_b, double distance, const Loss& loss) {
  const torch::NoGradGuard no_grad;
  for (const torch::Tensor& parameter : lora_b) parameter.add_(parameter.grad(), distance);
  const auto value = loss().template item<double>();
  for (const torch::Tensor& parameter : lora_b) parameter.zero_();
  return value;
}

double norm_of(const torch::Tensor& tensor) {
  return tensor.to(torch::kFloat64).norm().item<double>();
}

/// Gradients of x and of the parameters after `backward`; clears them.
template <typename Backward>
std::vector<torch::Tensor> gradients_of(const LayerData& data, DecoderLayer& layer,
                                        const Backward& backward) {
  std::vector<torch::Tensor> holders = trainable_parameters(*layer), gradients;
  holders.push_back(data.x);
  for (torch::Tensor& holder : holders) holder.mutable_grad().reset();
  backward();
  for (torch::Tensor& holder : holders) {
    gradients.push_back(holder.grad());
    holder.mutable_grad().reset();
  }
  return gradients;
}

bool are_close(const torch::Tensor& a, const torch::Tensor& b) {
  const double u = c10::elementSize(a.scalar_type()) == 2 ? std::ldexp(1.0, -8) : 0;
  const torch::Tensor wide = b.to(torch::kFloat64);
  // Written so that NaN fails.
  return norm_of(a.to(torch::kFloat64) - wide) <=
         std::max(kGradientTolerance, 4 * u) * norm_of(wide);
}

}  // namespace

LayerData random_layer_data(const LlamaConfig& config, std::int64_t batch, std::int64_t sequence,
                            const torch::TensorOptions& options) {
  const std::vector<std::int64_t> shape{batch, sequence, config.dim};
  return {.x = torch::randn(shape, options).requires_grad_(),
          .target = torch::randn(shape, options),
          .positions = {rotation_table(config, sequence, options), {}}};
}

Case::Checked check_lora_layer(DecoderLayer& layer, const LayerData& data,
                               const LayerStepOptions& options) {
  Case::Checked result;
  const auto expect = [&](bool good) {
    ++result.checked;
    if (!good) ++result.wrong;
  };
  // In double, so that rounding does not hide a small change.
  const auto loss_with = [&](const LayerStepOptions& how) {
    return torch::mse_loss(layer_output(layer, data.x, data.positions, how).to(torch::kFloat64),
                           data.target.to(torch::kFloat64));
  };
  const auto loss = [&] { return loss_with(options); };
  const std::vector<torch::Tensor> lora_a = parameters_ending(layer, "lora_a.weight");
  const std::vector<torch::Tensor> lora_b = parameters_ending(layer, "lora_b.weight");
  LayerOptimizer optimizer(layer, {}, options);
  optimizer.zero_grad();
  {
    const torch::NoGradGuard no_grad;
    for (const torch::Tensor& parameter : lora_b) parameter.zero_();
    const torch::Tensor got = layer_output(layer, data.x, data.positions, options);
    const LoraOff off(*layer);
    result.checked += static_cast<std::uint64_t>(got.numel());
    result.wrong += count(got != layer(data.x, data.positions));
  }

  if (options.checkpointing) {
    const auto with = gradients_of(data, layer, [&] { loss().backward(); });
    const auto without = gradients_of(data, layer, [&] { loss_with({}).backward(); });
    for (std::size_t i = 0; i < with.size(); ++i) expect(are_close(with[i], without[i]));
  }
  const torch::Tensor first = loss();
  first.backward();
  double squared_gradient = 0;
  for (const torch::Tensor& parameter : lora_b) {
    squared_gradient += parameter.grad().to(torch::kFloat64).square().sum().item<double>();
  }
  for (const torch::Tensor& parameter : lora_a) expect(count(parameter.grad() != 0) == 0);
  expect(std::isfinite(squared_gradient) && squared_gradient > 0);
  if (c10::elementSize(data.x.scalar_type()) > 2) {
    const double distance = kRelativeChange * first.item<double>() / squared_gradient;
    const double slope =
        (loss_moved(lora_b, distance, loss) - loss_moved(lora_b, -distance, loss)) / (2 * distance);
    expect(std::abs(slope / squared_gradient - 1) < kSlopeTolerance);
  }

  for (int step = 0; step < kSteps; ++step) {
    optimizer.zero_grad();
    loss().backward();
    optimizer.step();
  }
  const torch::NoGradGuard no_grad;
  expect(loss().item<double>() < first.item<double>());
  return result;
}

}  // namespace scalemark::llm
