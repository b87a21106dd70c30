// SPDX-License-Identifier: Apache-2.0
// Loss scaling for training in fp16 (Micikevicius et al. 2018), as PyTorch's GradScaler does it.
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>
#include <torch/optim/optimizer.h>

namespace scalemark::torch_support {

/// How the scale of the loss begins and changes.
struct GradScalerOptions {
  double initial = 65536, growth = 2, backoff = 0.5;
  std::int64_t growth_interval = 2000;  ///< steps without overflow after which the scale grows
};

/// A step is scale(loss).backward(), step(). Gradients of a scaled loss sometimes overflow: step()
/// then skips the update and reduces the scale. With data parallelism every rank sees the reduced
/// gradients, hence the same overflow, and the ranks stay equal.
class GradScaler {
 public:
  /// If not `enabled`, the loss is not scaled and every update is made.
  GradScaler(bool enabled, c10::Device device, const GradScalerOptions& options = {});

  /// The loss times the scale.
  at::Tensor scale(const at::Tensor& loss) const;
  /// Divides the gradients of `parameters` by the scale. Updates them unless a gradient is infinite
  /// or NaN. Returns whether it updated.
  bool step(torch::optim::Optimizer& optimiser, const std::vector<at::Tensor>& parameters);

  double current() const;
  std::int64_t skipped() const { return skipped_; }

  /// State for checkpoints.
  struct State {
    double scale = 1;
    std::int64_t steps_without_overflow = 0, skipped = 0;
  };
  State state() const;
  /// Continues from what state() returned.
  void restore(const State& state);

 private:
  GradScalerOptions options_;
  at::Tensor scale_, growth_tracker_;  ///< undefined if not enabled
  std::int64_t skipped_ = 0;
};

}  // namespace scalemark::torch_support
