// SPDX-License-Identifier: Apache-2.0
// Captures a training step as a CUDA graph and launches it, with batches in fixed memory.
#include "suites/imaging/train/graph_step.hpp"

#include <utility>

#include <ATen/ATen.h>

namespace scalemark::imaging {
namespace {

constexpr int kWarmUp = 3;  ///< steps until gradients, momentum and workspaces are allocated

class GraphTrainer final : public Trainer {
 public:
  GraphTrainer(std::unique_ptr<Trainer> trainer, std::unique_ptr<torch_support::StepGraph> graph)
      : trainer_(std::move(trainer)), graph_(std::move(graph)) {}

  StepResult step(const Batch& batch) override {
    if (!fixed_.images.defined()) {
      fixed_.images = at::empty_like(batch.images);
      fixed_.labels = at::empty_like(batch.labels);
    }
    fixed_.images.copy_(batch.images, /*non_blocking=*/true);
    fixed_.labels.copy_(batch.labels, /*non_blocking=*/true);
    const auto work = [this] { result_ = trainer_->step(fixed_); };
    if (steps_ < kWarmUp) {
      graph_->warm_up(work);
    } else {
      if (steps_ == kWarmUp) graph_->capture(work);
      graph_->launch();
    }
    ++steps_;
    return result_;
  }

  c10::Device input_device() const override { return trainer_->input_device(); }
  void synchronise_buffers() override { trainer_->synchronise_buffers(); }
  MobileNetV2& model() override { return trainer_->model(); }
  torch::optim::SGD& optimiser() override { return trainer_->optimiser(); }
  torch_support::GradScaler& scaler() override { return trainer_->scaler(); }

 private:
  std::unique_ptr<Trainer> trainer_;
  std::unique_ptr<torch_support::StepGraph> graph_;
  Batch fixed_;
  StepResult result_;
  int steps_ = 0;
};

}  // namespace

std::unique_ptr<Trainer> make_graph_trainer(std::unique_ptr<Trainer> trainer,
                                            std::unique_ptr<torch_support::StepGraph> graph) {
  return std::make_unique<GraphTrainer>(std::move(trainer), std::move(graph));
}

}  // namespace scalemark::imaging
