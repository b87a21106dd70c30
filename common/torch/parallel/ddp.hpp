// SPDX-License-Identifier: Apache-2.0
// Distributed data parallelism: LibTorch's c10d::Reducer around a module, as Python's
// DistributedDataParallel uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <torch/csrc/distributed/c10d/reducer.hpp>
#include <torch/nn/module.h>

#include "common/torch/parallel/bucket_times.hpp"
#include "common/torch/process_group/process_group.hpp"

namespace scalemark::torch_support {

/// Options of Ddp, with PyTorch's defaults.
struct DdpOptions {
  std::size_t first_bucket_bytes =
      c10d::kDefaultFirstBucketBytes;                       ///< 1 MiB: the reduction starts early
  std::size_t bucket_bytes = c10d::kDefaultBucketBytesCap;  ///< 25 MiB
  bool broadcast_buffers = true;  ///< rank 0's before each forward pass in training mode
};

/// A step: before_forward(), forward and loss, before_backward(), backward (leaves the mean over
/// ranks in every gradient), optimiser, zero_gradients(). Every parameter must contribute to the
/// loss. The module must keep its parameters, type and device while this object lives.
class Ddp {
 public:
  /// Collective. Broadcasts rank 0's parameters and buffers.
  Ddp(std::shared_ptr<torch::nn::Module> module, ProcessGroupPtr group,
      const DdpOptions& options = {});
  ~Ddp();
  Ddp(const Ddp&) = delete;
  Ddp& operator=(const Ddp&) = delete;

  /// Collective.
  void before_forward();
  void before_backward();
  /// Call right after a module's backward pass on a CPU. Returns the communication time in ns that
  /// computation did not hide: from this rank's last gradient until all are reduced. 0 on other
  /// devices, where the host runs ahead of the device.
  std::uint64_t exposed_communication() const;
  /// When the gradients of each bucket were ready, over all steps but the first. On a GPU it waits
  /// for the last step.
  std::vector<BucketReady> gradient_buckets() { return bucket_times_.ready(); }
  /// Collective. Broadcasts rank 0's buffers, for instance before validation.
  void broadcast_buffers();
  /// Gradients are views of the buckets: they are zeroed in place, not detached as in
  /// Optimizer::zero_grad.
  void zero_gradients();

 private:
  void broadcast(const std::vector<at::Tensor>& tensors);

  std::shared_ptr<torch::nn::Module> module_;
  ProcessGroupPtr group_;
  DdpOptions options_;
  std::vector<at::Tensor> parameters_, buffers_;
  std::unique_ptr<c10d::Reducer> reducer_;
  std::optional<unsigned> hook_;  ///< of the first parameter, whose gradient comes last
  std::uint64_t last_gradient_at_ = 0;
  BucketTimes bucket_times_;
};

}  // namespace scalemark::torch_support
