// SPDX-License-Identifier: Apache-2.0
// Fully sharded data parallelism: every rank stores a part of each parameter, gradient and
// optimiser state. A layer's parameters are whole only while it computes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <unordered_map>
#include <vector>

#include <torch/nn/module.h>

#include "common/torch/parallel/flat_shard.hpp"
#include "common/torch/parallel/fsdp_record.hpp"
#include "common/torch/process_group/process_group.hpp"

namespace scalemark::torch_support {

/// Options of Fsdp.
struct FsdpOptions {
  bool reshard = true;        ///< free a layer's parameters between its forward and backward pass
  std::int64_t prefetch = 1;  ///< layers whose all-gathers start ahead
  bool offload = false;       ///< keep parts, their gradients and optimiser state in host memory
};

/// The units of a model are a chain of layers, each fed only by the one before, and a root:
/// everything used before, after and beside them.
///
/// Shard a model part by part while it is built (shard(), shard_root()), so that no rank ever holds
/// all of it; then call prepare(). A micro-batch: before_forward(); each layer through forward();
/// loss and backward; after_backward(), which leaves the sum over ranks in the gradients of
/// parts(). The optimiser updates parts() and drops their gradients. Everything is collective, in
/// the same order on all ranks. An autograd graph must not outlive this object.
class Fsdp {
 public:
  using Layer = std::function<at::Tensor(const at::Tensor&)>;

  /// Records its collectives in `record`.
  Fsdp(ProcessGroupPtr group, const FsdpOptions& options, std::shared_ptr<FsdpRecord> record);
  ~Fsdp();
  Fsdp(const Fsdp&) = delete;
  Fsdp& operator=(const Fsdp&) = delete;

  /// Shards all parameters and buffers of `part` that are not sharded yet, as unit `layer`.
  /// Buffers, trained parameters and frozen parameters get separate flat shards, one for each type.
  /// Call again after adding parameters to the part.
  void shard(std::size_t layer, const torch::nn::Module& part);
  void shard_root(const torch::nn::Module& part);
  /// After this call the set of trained parameters must not change. Throws Error if a flat shard
  /// mixes trained and frozen parameters.
  void prepare();

  /// This rank's parts of the trained parameters.
  const std::vector<at::Tensor>& parts() const { return parts_; }

  /// Call before_forward() once per forward pass, then forward() for each layer in order.
  void before_forward();
  at::Tensor forward(std::size_t layer, const Layer& compute, const at::Tensor& x);
  /// Throws Error if a trained parameter got no gradient.
  void after_backward();
  /// Frees gathered memory after a forward pass without a backward pass.
  void release();

  /// Between steps: calls `see` for each tensor in the given order, with its values gathered.
  void visit(const std::vector<at::Tensor>& tensors,
             const std::function<void(const at::Tensor&)>& see);

 private:
  struct Piece;
  struct Unit;
  struct Reduction;

  Unit& unit(std::size_t layer);
  void shard_into(Unit& unit, const torch::nn::Module& part);
  void start_gather(Unit& unit);
  void gather(Unit& unit);
  void release(Unit& unit);
  void before_backward(std::size_t layer);
  void on_gradient(Piece& piece, std::size_t index);
  void finish_reductions();

  ProcessGroupPtr group_;
  FsdpOptions options_;
  std::shared_ptr<FsdpRecord> record_;
  std::unique_ptr<Unit> root_;
  std::vector<std::unique_ptr<Unit>> layers_;
  std::unordered_map<const c10::TensorImpl*, Unit*> owners_;
  std::vector<at::Tensor> parts_;
  std::list<Reduction> reductions_;
};

}  // namespace scalemark::torch_support
