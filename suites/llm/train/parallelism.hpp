// SPDX-License-Identifier: Apache-2.0
// Parallelism of a training: one rank, data parallelism, or fully sharded.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "common/torch/parallel/bucket_times.hpp"
#include "common/torch/parallel/fsdp.hpp"
#include "common/torch/process_group/process_group.hpp"
#include "suites/llm/model/llama.hpp"
#include "suites/llm/train/dpo.hpp"

namespace scalemark::llm {

/// Traffic is Fsdp's only. For the exposed time, see also Ddp.
using Communication = torch_support::StepCommunication;

/// Receives a model part by part while it is built (PartMade), then the whole. Afterwards it
/// provides the parameters for the optimiser and runs the communication between ranks. A step is,
/// for each micro-batch, before_forward(), forward, before_backward(), backward, after_backward();
/// then the optimiser, and zero_gradients(). All of it is collective.
class Parallelism {
 public:
  virtual ~Parallelism() = default;
  virtual void add_part(torch::nn::Module& /*part*/) {}
  /// Call when the model is complete: adapters are added, and frozen parameters stay frozen.
  virtual void add(Llama& model) = 0;

  /// A frozen copy of the current model, sharded or replicated as the model is.
  virtual Llama make_frozen_copy(const Llama& model) { return frozen_copy(model); }

  /// What the optimiser updates on this rank: trained parameters, or this rank's parts of them.
  virtual const std::vector<torch::Tensor>& parameters() const = 0;
  /// Factor for a rank's loss, so that gradients become those of the sum of all ranks' losses.
  virtual double loss_factor() const { return 1; }

  /// Whether gradients stay in the same memory in all steps, added to from zero, and forward and
  /// backward passes contain no communication. Such passes can be recorded as CUDA graphs.
  virtual bool gradients_stay() const { return false; }

  /// `last`: the step's last micro-batch.
  virtual void before_forward(bool /*last*/) {}
  virtual void before_backward(bool /*last*/) {}
  virtual void after_backward() {}
  /// L2 norm over the gradients of the whole model.
  virtual torch::Tensor gradient_norm() = 0;
  virtual void zero_gradients() = 0;
  /// Since the last call; call after the backward passes of a step.
  virtual Communication take_communication() { return {}; }
  /// See Ddp; empty for other kinds.
  virtual std::vector<torch_support::BucketReady> gradient_buckets() { return {}; }
  /// See FsdpRecord; empty for other kinds.
  virtual std::vector<torch_support::ShardMessage> shard_messages() { return {}; }

  /// Between steps: calls `see` for each of the model's tensors in the given order, with its values
  /// gathered.
  virtual void visit(const std::vector<torch::Tensor>& tensors,
                     const std::function<void(const torch::Tensor&)>& see);
};

std::unique_ptr<Parallelism> make_single();
/// LibTorch's DDP. The last micro-batch's backward pass reduces the gradients accumulated over the
/// step.
std::unique_ptr<Parallelism> make_ddp(torch_support::ProcessGroupPtr group);
/// Data parallelism with all gradients in one block of memory, reduced by one all-reduce after the
/// last micro-batch's backward pass. Nothing overlaps, which costs little if few parameters are
/// trained. Without a group: a single rank.
std::unique_ptr<Parallelism> make_replicas(torch_support::ProcessGroupPtr group);
/// Fsdp with one unit a layer, and embedding, last norm and head as root. Gradients are reduced in
/// each backward pass. `device`: of the model.
std::unique_ptr<Parallelism> make_fsdp(torch_support::ProcessGroupPtr group,
                                       const torch_support::FsdpOptions& options,
                                       torch::Device device);

/// torch_support::fingerprint of all parameters of the model, each gathered in turn.
std::uint64_t fingerprint(Parallelism& parallelism, const Llama& model);

}  // namespace scalemark::llm
