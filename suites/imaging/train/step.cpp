// SPDX-License-Identifier: Apache-2.0
// Training on one device, with or without DDP over the ranks; factory for trainers.
#include "suites/imaging/train/step.hpp"

#include <optional>
#include <utility>

#include <ATen/ATen.h>
#include <torch/nn/functional/loss.h>

#include "suites/imaging/train/data_parallel.hpp"
#include "suites/imaging/train/graph_step.hpp"
#include "suites/imaging/train/sgd.hpp"

namespace scalemark::imaging {
namespace {

class DeviceTrainer final : public Trainer {
 public:
  DeviceTrainer(std::shared_ptr<MobileNetV2> model, const TrainerOptions& options,
                const torch_support::ProcessGroupPtr& group)
      : model_(std::move(model)),
        options_(options),
        parameters_(model_->parameters()),
        optimiser_(parameters_,
                   torch::optim::SGDOptions(options.learning_rate).momentum(options.momentum)),
        scaler_(options.precision.scales_loss, options.device) {
    if (is_ddp(options.strategy)) ddp_.emplace(model_, group, options.ddp);
  }

  StepResult step(const Batch& batch) override {
    if (ddp_) ddp_->before_forward();
    at::Tensor logits;
    {
      const torch_support::Autocast autocast(options_.precision, options_.device);
      logits = model_->forward(batch.images);
    }
    const at::Tensor loss = mean_loss(logits, batch.labels);
    if (ddp_) ddp_->before_backward();
    scaler_.scale(loss).backward();
    const std::uint64_t exposed = ddp_ ? ddp_->exposed_communication() : 0;
    scaler_.step(optimiser_, parameters_);
    if (ddp_)
      ddp_->zero_gradients();
    else
      optimiser_.zero_grad();
    return {loss.detach(), count_right(logits.detach(), batch.labels), exposed};
  }

  c10::Device input_device() const override { return options_.device; }
  void synchronise_buffers() override {
    if (ddp_) ddp_->broadcast_buffers();
  }
  std::vector<torch_support::BucketReady> gradient_buckets() override {
    return ddp_ ? ddp_->gradient_buckets() : std::vector<torch_support::BucketReady>{};
  }
  MobileNetV2& model() override { return *model_; }
  torch::optim::SGD& optimiser() override { return optimiser_; }
  torch_support::GradScaler& scaler() override { return scaler_; }

 private:
  std::shared_ptr<MobileNetV2> model_;
  TrainerOptions options_;
  std::vector<at::Tensor> parameters_;
  Sgd optimiser_;
  torch_support::GradScaler scaler_;
  std::optional<torch_support::Ddp> ddp_;
};

}  // namespace

at::Tensor mean_loss(const at::Tensor& logits, const at::Tensor& labels) {
  const bool narrow = logits.scalar_type() == at::kHalf || logits.scalar_type() == at::kBFloat16;
  return torch::nn::functional::cross_entropy(narrow ? logits.to(at::kFloat) : logits, labels);
}

at::Tensor count_right(const at::Tensor& logits, const at::Tensor& labels) {
  return (logits.argmax(1) == labels).sum();
}

std::unique_ptr<Trainer> make_trainer(std::shared_ptr<MobileNetV2> model,
                                      const TrainerOptions& options,
                                      torch_support::ProcessGroupPtr group) {
  model->to(options.device, options.precision.parameters);
  if (options.format == at::MemoryFormat::ChannelsLast) to_channels_last(*model);
  if (is_data_parallel(options.strategy))
    return make_data_parallel_trainer(std::move(model), options);
  if (!options.graphs) return std::make_unique<DeviceTrainer>(std::move(model), options, group);
  // On one rank DDP has nothing to reduce, and its Reducer binds the parameters' hooks to the
  // stream on which it was made: a capture on another stream fails.
  TrainerOptions single = options;
  single.strategy = Strategy::single;
  return make_graph_trainer(std::make_unique<DeviceTrainer>(std::move(model), single, nullptr),
                            torch_support::make_step_graph(options.device));
}

}  // namespace scalemark::imaging
