// SPDX-License-Identifier: Apache-2.0
// Data parallelism in one process: forward, backward and gradient sums over replicas.
#include "suites/imaging/train/data_parallel.hpp"

#include <functional>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/optim/sgd.h>

#include "common/device/device.hpp"
#include "suites/imaging/train/sgd.hpp"
#include "suites/imaging/train/team.hpp"

namespace scalemark::imaging {
namespace {

class DataParallelTrainer final : public Trainer {
 public:
  DataParallelTrainer(std::shared_ptr<MobileNetV2> model, const TrainerOptions& options)
      : options_(options),
        devices_(devices_of(options)),
        parameters_(model->parameters()),
        optimiser_(parameters_,
                   torch::optim::SGDOptions(options.learning_rate).momentum(options.momentum)),
        scaler_(options.precision.scales_loss, options.device),
        team_(options.replicas, options.threads, options.replica_cpus) {
    replicas_.push_back(std::move(model));
    for (int i = 1; i < options.replicas; ++i) {
      auto copy = std::make_shared<MobileNetV2>(replicas_.front()->options());
      copy->to(devices_[static_cast<std::size_t>(i)], options.precision.parameters);
      if (options.format == at::MemoryFormat::ChannelsLast) to_channels_last(*copy);
      replicas_.push_back(std::move(copy));
    }
  }

  StepResult step(const Batch& batch) override {
    const std::vector<at::Tensor> images = batch.images.chunk(options_.replicas);
    const std::vector<at::Tensor> labels = batch.labels.chunk(options_.replicas);
    const std::size_t active = images.size();
    distribute(active);
    std::vector<at::Tensor> outputs(active);
    run_replicas(active, [&](std::size_t i) {
      const at::AutoGradMode with_gradients(true);
      const torch_support::Autocast autocast(options_.precision, options_.device);
      outputs[i] = replicas_[i]->forward(images[i].to(devices_[i]).contiguous(options_.format));
    });
    const at::Tensor loss = options_.strategy == Strategy::data_parallel_device_scatter
                                ? backward_apart(outputs, labels, batch.labels.size(0))
                                : backward_gathered(outputs, batch.labels);
    collect_gradients(active);
    scaler_.step(optimiser_, parameters_);
    for (const auto& replica : replicas_) replica->zero_grad();
    return {loss, count_right(gathered(outputs), batch.labels.to(options_.device))};
  }

  c10::Device input_device() const override {
    return options_.strategy == Strategy::data_parallel_device_scatter ? c10::Device(c10::kCPU)
                                                                       : options_.device;
  }
  MobileNetV2& model() override { return *replicas_.front(); }
  torch::optim::SGD& optimiser() override { return optimiser_; }
  torch_support::GradScaler& scaler() override { return scaler_; }

 private:
  /// Each replica's thread works on its device: new threads start on GPU 0, where the first call
  /// would open a context.
  void run_replicas(std::size_t count, const std::function<void(std::size_t)>& work) {
    team_.run(count, [&](std::size_t i) {
      const c10::DeviceGuard guard(devices_[i]);
      work(i);
    });
  }

  /// Devices counted from this rank's own one, which need not be number 0.
  static std::vector<c10::Device> devices_of(const TrainerOptions& options) {
    const int count = options.device.is_cuda() ? device::cuda_device_count() : 0;
    std::vector<c10::Device> devices(static_cast<std::size_t>(options.replicas), options.device);
    for (int i = 1; count > 0 && i < options.replicas; ++i) {
      devices[static_cast<std::size_t>(i)] = {
          options.device.type(),
          static_cast<c10::DeviceIndex>((options.device.index() + i) % count)};
    }
    return devices;
  }

  /// Copies parameters and buffers of the first replica to the others.
  void distribute(std::size_t active) {
    const at::NoGradGuard no_grad;
    const bool anew = options_.strategy == Strategy::data_parallel_replicate;
    const auto give = [&](const std::vector<at::Tensor>& from, std::vector<at::Tensor> to,
                          std::size_t i) {
      for (std::size_t k = 0; k < from.size(); ++k) {
        if (anew)
          to[k].set_data(from[k].to(devices_[i], from[k].scalar_type(), false, /*copy=*/true));
        else
          to[k].copy_(from[k], /*non_blocking=*/true);
      }
    };
    for (std::size_t i = 1; i < active; ++i) {
      give(parameters_, replicas_[i]->parameters(), i);
      give(replicas_[0]->buffers(), replicas_[i]->buffers(), i);
      replicas_[i]->train(replicas_[0]->is_training());
    }
  }

  /// Outputs of all replicas on the first device, detached from the autograd graph.
  at::Tensor gathered(const std::vector<at::Tensor>& outputs) const {
    std::vector<at::Tensor> rows;
    for (const at::Tensor& output : outputs) rows.push_back(output.detach().to(options_.device));
    return at::cat(rows);
  }

  /// Computes the loss of the whole batch on the first device. Each replica then runs backward from
  /// the gradient of its logits.
  at::Tensor backward_gathered(const std::vector<at::Tensor>& outputs, const at::Tensor& labels) {
    const at::Tensor logits = gathered(outputs).requires_grad_();
    const at::Tensor loss = mean_loss(logits, labels);
    scaler_.scale(loss).backward();
    const std::vector<at::Tensor> gradients = logits.grad().chunk(options_.replicas);
    run_replicas(outputs.size(), [&](std::size_t i) {
      torch::autograd::backward({outputs[i]}, {gradients[i].to(outputs[i].device())});
    });
    return loss.detach();
  }

  /// Computes each replica's own loss, weighted by its share of the batch, and runs backward.
  at::Tensor backward_apart(const std::vector<at::Tensor>& outputs,
                            const std::vector<at::Tensor>& labels, std::int64_t batch) {
    std::vector<at::Tensor> losses(outputs.size());
    run_replicas(outputs.size(), [&](std::size_t i) {
      const at::AutoGradMode with_gradients(true);
      const double share = static_cast<double>(labels[i].size(0)) / static_cast<double>(batch);
      const at::Tensor loss = mean_loss(outputs[i], labels[i].to(outputs[i].device())) * share;
      (loss * scaler_.current()).backward();
      losses[i] = loss.detach();
    });
    at::Tensor sum = losses[0];
    for (std::size_t i = 1; i < losses.size(); ++i) sum = sum + losses[i].to(sum.device());
    return sum;
  }

  /// Sums the replicas' gradients on the first device.
  void collect_gradients(std::size_t active) {
    const at::NoGradGuard no_grad;
    for (std::size_t i = 1; i < active; ++i) {
      const std::vector<at::Tensor> theirs = replicas_[i]->parameters();
      for (std::size_t k = 0; k < parameters_.size(); ++k)
        parameters_[k].mutable_grad().add_(theirs[k].grad().to(options_.device));
    }
  }

  TrainerOptions options_;
  std::vector<c10::Device> devices_;    ///< of the replicas
  std::vector<at::Tensor> parameters_;  ///< of the first replica
  std::vector<std::shared_ptr<MobileNetV2>> replicas_;
  Sgd optimiser_;
  torch_support::GradScaler scaler_;
  Team team_;
};

}  // namespace

std::unique_ptr<Trainer> make_data_parallel_trainer(std::shared_ptr<MobileNetV2> model,
                                                    const TrainerOptions& options) {
  return std::make_unique<DataParallelTrainer>(std::move(model), options);
}

}  // namespace scalemark::imaging
