// SPDX-License-Identifier: Apache-2.0
// Loss scaling on LibTorch's own kernels.
#include "common/torch/grad_scaler.hpp"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace scalemark::torch_support {

GradScaler::GradScaler(bool enabled, c10::Device device, const GradScalerOptions& options)
    : options_(options) {
  if (!enabled) return;
  const auto on_device = at::TensorOptions().device(device);
  scale_ = at::full({1}, options.initial, on_device.dtype(at::kFloat));
  growth_tracker_ = at::zeros({1}, on_device.dtype(at::kInt));
}

at::Tensor GradScaler::scale(const at::Tensor& loss) const {
  return scale_.defined() ? loss * scale_.squeeze(0) : loss;
}

bool GradScaler::step(torch::optim::Optimizer& optimiser,
                      const std::vector<at::Tensor>& parameters) {
  if (!scale_.defined()) {
    optimiser.step();
    return true;
  }
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& parameter : parameters) {
    if (parameter.grad().defined()) gradients.push_back(parameter.grad());
  }
  at::Tensor found = at::zeros_like(scale_);
  at::_amp_foreach_non_finite_check_and_unscale_(gradients, found, scale_.reciprocal());
  const bool overflow = found.item<float>() != 0;
  if (overflow)
    ++skipped_;
  else
    optimiser.step();
  at::_amp_update_scale_(scale_, growth_tracker_, found, options_.growth, options_.backoff,
                         options_.growth_interval);
  return !overflow;
}

GradScaler::State GradScaler::state() const {
  return {current(), growth_tracker_.defined() ? growth_tracker_.item<std::int64_t>() : 0,
          skipped_};
}

void GradScaler::restore(const State& state) {
  if (!scale_.defined()) return;
  scale_.fill_(state.scale);
  growth_tracker_.fill_(state.steps_without_overflow);
  skipped_ = state.skipped;
}

double GradScaler::current() const { return scale_.defined() ? scale_.item<double>() : 1.0; }

}  // namespace scalemark::torch_support
