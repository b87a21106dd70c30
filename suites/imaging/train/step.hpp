// SPDX-License-Identifier: Apache-2.0
// One training step by strategy: forward, backward, gradient reduction, update.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <torch/optim/sgd.h>

#include "common/torch/grad_scaler.hpp"
#include "common/torch/parallel/ddp.hpp"
#include "common/torch/precision.hpp"
#include "suites/imaging/loader/loader.hpp"
#include "suites/imaging/model/mobilenet.hpp"
#include "suites/imaging/train/strategy.hpp"

namespace scalemark::imaging {

struct TrainerOptions {
  Strategy strategy = Strategy::single;
  torch_support::Precision precision;
  c10::Device device = c10::Device(c10::kCPU);
  at::MemoryFormat format = at::MemoryFormat::Contiguous;
  double learning_rate = 0.01, momentum = 0.9;
  torch_support::DdpOptions ddp;
  int replicas = 1;  ///< data_parallel: devices (on a CPU: threads with their own copy)
  int threads = 1;   ///< compute threads per replica
  /// CPUs of the second and later replicas; may be shorter than their number, see Team.
  std::vector<hardware::CpuSet> replica_cpus;
  bool graphs = false;  ///< launch each step as one CUDA graph: GPU, one rank, no loss scaling
};

/// Result of a step on this rank's batch, before the update. Scalars on a device, possibly not yet
/// computed.
struct StepResult {
  at::Tensor loss;   ///< mean cross entropy
  at::Tensor right;  ///< number of correct predictions
  /// DDP on a CPU: ns from this rank's last gradient until all gradients were reduced. This is the
  /// communication not hidden by computation.
  std::uint64_t exposed_communication = 0;
};

/// Trains one model, with parameters in the type of `precision` and convolutions in `format`.
class Trainer {
 public:
  virtual ~Trainer() = default;
  /// The batch must be on input_device(). Collective for ddp strategies.
  virtual StepResult step(const Batch& batch) = 0;
  /// Device on which step() expects its batches.
  virtual c10::Device input_device() const = 0;
  /// Collective for ddp strategies. Copies rank 0's buffers to all ranks, before testing.
  virtual void synchronise_buffers() {}
  /// See Ddp; empty for other strategies.
  virtual std::vector<torch_support::BucketReady> gradient_buckets() { return {}; }
  virtual MobileNetV2& model() = 0;
  virtual torch::optim::SGD& optimiser() = 0;
  virtual torch_support::GradScaler& scaler() = 0;
};

/// Collective for ddp strategies; only they need `group`.
std::unique_ptr<Trainer> make_trainer(std::shared_ptr<MobileNetV2> model,
                                      const TrainerOptions& options,
                                      torch_support::ProcessGroupPtr group);

/// Mean cross entropy, computed in at least fp32.
at::Tensor mean_loss(const at::Tensor& logits, const at::Tensor& labels);
/// Number of rows of `logits` whose maximum is at their label.
at::Tensor count_right(const at::Tensor& logits, const at::Tensor& labels);

}  // namespace scalemark::imaging
