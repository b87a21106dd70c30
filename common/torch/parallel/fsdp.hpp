// SPDX-License-Identifier: Apache-2.0
// Fully sharded data parallelism: every rank keeps a part of every parameter, of its gradient and
// of what the optimiser knows of it; a layer's parameters are whole only while it computes.
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

struct FsdpOptions {
  bool reshard = true;        ///< give a layer's parameters back between its forward and backward
  std::int64_t prefetch = 1;  ///< all-gathers that are started ahead, in layers
  bool offload = false;       ///< parts, their gradients and so the optimiser in host memory
};

/// What collectives moved, counted where they are started. Of an all-gather a rank receives, and of
/// a reduce-scatter it sends, (ranks - 1) / ranks of the whole; more is not needed by any
/// algorithm.
struct FsdpTraffic {
  std::uint64_t gathers = 0, gathered_bytes = 0, reductions = 0, reduced_bytes = 0;
  bool operator==(const FsdpTraffic&) const = default;
  FsdpTraffic& operator+=(const FsdpTraffic& other);
};

/// The units of a model are a chain of layers, each fed by the one before alone, and a root: all
/// that is used before, after and beside them.
///
/// A model is given part by part as it is made, shard() and shard_root(), so that no rank ever
/// holds all of it; then prepare(). A micro-batch: before_forward(); each layer through forward();
/// loss and backward; after_backward(), which leaves the sum of the ranks' gradients in the
/// gradients of parts(). The optimiser works on parts() and drops their gradients. Everything is
/// collective, and in the same order on all ranks. A graph of autograd must not outlive this.
class Fsdp {
 public:
  using Layer = std::function<at::Tensor(const at::Tensor&)>;

  Fsdp(ProcessGroupPtr group, const FsdpOptions& options);
  ~Fsdp();
  Fsdp(const Fsdp&) = delete;
  Fsdp& operator=(const Fsdp&) = delete;

  /// All parameters and buffers of `part` that are not sharded yet, as parts of unit `layer`: one
  /// flat shard for buffers, for parameters that want gradients and for others, and for each type.
  /// May be called again when the part has got more.
  void shard(std::size_t layer, const torch::nn::Module& part);
  void shard_root(const torch::nn::Module& part);
  /// From here on which parameters want gradients must not change. Throws Error if one piece has
  /// some that do and some that do not.
  void prepare();

  /// This rank's parts of what is trained.
  const std::vector<at::Tensor>& parts() const { return parts_; }

  void before_forward();
  at::Tensor forward(std::size_t layer, const Layer& compute, const at::Tensor& x);
  /// Throws Error if a parameter that is trained got no gradient.
  void after_backward();
  /// After a forward pass that no backward pass follows.
  void release();

  /// Calls `see` for each tensor in the given order, with its values there; between steps.
  void visit(const std::vector<at::Tensor>& tensors,
             const std::function<void(const at::Tensor&)>& see);

  /// Since the last call.
  FsdpTraffic take_traffic() { return std::exchange(traffic_, {}); }
  /// Since the last call: ns that the host spent in starting collectives and waiting for them. On a
  /// CPU that is what computation did not hide; with a GPU the host is ahead and hardly waits.
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
