// SPDX-License-Identifier: Apache-2.0
// Distributed data parallelism: LibTorch's own c10d::Reducer round a module, as
// DistributedDataParallel of the Python front end does it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <torch/csrc/distributed/c10d/reducer.hpp>
#include <torch/nn/module.h>

#include "common/torch/process_group/process_group.hpp"

namespace scalemark::torch_support {

struct DdpOptions {
  std::size_t first_bucket_bytes =
      c10d::kDefaultFirstBucketBytes;                       ///< 1 MiB: the reduction starts early
  std::size_t bucket_bytes = c10d::kDefaultBucketBytesCap;  ///< 25 MiB
  bool broadcast_buffers = true;  ///< rank 0's before each forward pass in training mode
};

/// A step: before_forward(), forward and loss, before_backward(), backward (which leaves the mean
/// of the ranks' gradients in every parameter), optimiser, zero_gradients(). Every parameter must
/// take part in the loss. The module must not change its parameters, type or device while this
/// lives.
class Ddp {
 public:
  /// Collective. Gives all ranks rank 0's parameters and buffers.
  Ddp(std::shared_ptr<torch::nn::Module> module, ProcessGroupPtr group,
      const DdpOptions& options = {});
  ~Ddp();
  Ddp(const Ddp&) = delete;
  Ddp& operator=(const Ddp&) = delete;

  /// Collective.
  void before_forward();
  void before_backward();
  /// Right after the backward pass of a module on a CPU: ns from this rank's last gradient until
  /// now, when all are reduced; what of the communication the computation did not hide. 0
  /// elsewhere, where the host is ahead of the device.
  std::uint64_t exposed_communication() const;
  /// Collective. Gives all ranks rank 0's buffers, for instance before testing.
  void broadcast_buffers();
  /// Gradients are views of the buckets: they are set to zero in place, never detached as
  /// Optimizer::zero_grad would.
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
};

}  // namespace scalemark::torch_support
