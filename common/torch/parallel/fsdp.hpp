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
#include <utility>
#include <vector>

#include <torch/nn/module.h>

#include "common/torch/parallel/flat_shard.hpp"
#include "common/torch/process_group/process_group.hpp"

namespace scalemark::torch_support {

/// Options of Fsdp.
struct FsdpOptions {
  bool reshard = true;        ///< free a layer's parameters between its forward and backward pass
  std::int64_t prefetch = 1;  ///< layers whose all-gathers start ahead
  bool offload = false;       ///< keep parts, their gradients and optimiser state in host memory
};

/// Traffic of collectives, counted when they start. Each rank receives (ranks - 1) / ranks of the
/// whole in an all-gather, and sends as much in a reduce-scatter. No algorithm needs more.
struct FsdpTraffic {
  std::uint64_t gathers = 0, gathered_bytes = 0, reductions = 0, reduced_bytes = 0;
  bool operator==(const FsdpTraffic&) const = default;
  FsdpTraffic& operator+=(const FsdpTraffic& other);
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

  Fsdp(ProcessGroupPtr group, const FsdpOptions& options);
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

  /// Traffic since the last call.
  FsdpTraffic take_traffic() { return std::exchange(traffic_, {}); }
  /// Since the last call: ns that the host spent starting collectives and waiting for them. On a
  /// CPU this is communication that computation did not hide; with a GPU the host runs ahead and
  /// hardly waits.
  std::uint64_t take_exposed_communication() { return std::exchange(exposed_, 0); }

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
  void wait(const Started& started);

  ProcessGroupPtr group_;
  FsdpOptions options_;
  std::unique_ptr<Unit> root_;
  std::vector<std::unique_ptr<Unit>> layers_;
  std::unordered_map<const c10::TensorImpl*, Unit*> owners_;
  std::vector<at::Tensor> parts_;
  std::list<Reduction> reductions_;
  FsdpTraffic traffic_;
  std::uint64_t exposed_ = 0;
};

}  // namespace scalemark::torch_support
