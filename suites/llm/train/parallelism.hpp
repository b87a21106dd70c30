// SPDX-License-Identifier: Apache-2.0
// How the ranks of a training work together: one alone, data parallelism, fully sharded.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "common/torch/parallel/fsdp.hpp"
#include "common/torch/process_group/process_group.hpp"
#include "suites/llm/model/llama.hpp"
#include "suites/llm/train/dpo.hpp"

namespace scalemark::llm {

/// Of one step.
struct Communication {
  std::uint64_t exposed = 0;           ///< ns that computation did not hide; see Ddp and Fsdp
  torch_support::FsdpTraffic traffic;  ///< of Fsdp alone
};

/// Gets a model part by part as it is made (PartMade), then the whole; from then on knows what the
/// optimiser updates and does what is between the ranks. A step is, for each micro-batch,
/// before_forward(), forward, before_backward(), backward, after_backward(); then the optimiser,
/// and zero_gradients(). All of it collective.
class Parallelism {
 public:
  virtual ~Parallelism() = default;
  virtual void add_part(torch::nn::Module& /*part*/) {}
  /// The model is complete: adapters are there, and what is frozen stays so.
  virtual void add(Llama& model) = 0;

  /// A copy of the model as it is now, without gradients, which is there in the same way.
  virtual Llama make_frozen_copy(const Llama& model) { return frozen_copy(model); }

  /// What the optimiser updates on this rank: trained parameters, or this rank's parts of them.
  virtual const std::vector<torch::Tensor>& parameters() const = 0;
  /// What a rank's loss is to be multiplied with, so that gradients become those of the sum of all
  /// ranks' losses.
  virtual double loss_factor() const { return 1; }

  /// Whether gradients are in the same memory in all steps, added to from zero, and nothing is
  /// between a forward and its backward pass: such passes can be recorded as graphs.
  virtual bool gradients_stay() const { return false; }

  /// `last`: of the step's micro-batches.
  virtual void before_forward(bool /*last*/) {}
  virtual void before_backward(bool /*last*/) {}
  virtual void after_backward() {}
  /// l2 over all gradients.
  virtual torch::Tensor gradient_norm() = 0;
  virtual void zero_gradients() = 0;
  /// Since the last call; after the backward passes of a step.
  virtual Communication take_communication() { return {}; }

  /// Calls `see` for each of the model's tensors in the given order, with its values there; between
  /// steps.
  virtual void visit(const std::vector<torch::Tensor>& tensors,
                     const std::function<void(const torch::Tensor&)>& see);
};

std::unique_ptr<Parallelism> make_single();
/// LibTorch's DDP. Gradients of the last micro-batch's backward pass are reduced, with all that was
/// added up before.
std::unique_ptr<Parallelism> make_ddp(torch_support::ProcessGroupPtr group);
/// Data parallelism whose gradients are one block of memory. They are added over the ranks at once,
/// behind the last micro-batch's backward pass: nothing is hidden, which costs little where few
/// parameters learn. Without a group: one rank alone.
std::unique_ptr<Parallelism> make_replicas(torch_support::ProcessGroupPtr group);
/// Fsdp with one unit a layer, and embedding, last norm and head as root. Gradients are reduced in
/// each backward pass.
std::unique_ptr<Parallelism> make_fsdp(torch_support::ProcessGroupPtr group,
                                       const torch_support::FsdpOptions& options);

/// torch_support::fingerprint of all parameters of the model, whole one after the other.
std::uint64_t fingerprint(Parallelism& parallelism, const Llama& model);

/// What Fsdp must move in a step, from nothing but the model's shapes. A whole is what is kept
/// together: the elements of one type in trained parameters, in frozen ones or in buffers of a
/// layer, the embedding, the norm or the head, rounded up to a multiple of the ranks. (ranks - 1) /
/// ranks of it are gathered for each forward pass, and with `reshard` again for the backward pass
/// of a layer; and reduced for each backward pass if it is trained.
struct TrafficRequest {
  std::int64_t ranks = 1, micro_batches = 1;
  std::int64_t reference_passes = 0;  ///< forward passes of a micro-batch without a backward pass
  bool frozen_copy = false;           ///< one such pass of a frozen copy
  bool reshard = true;
};
torch_support::FsdpTraffic expected_traffic(const Llama& model, const TrafficRequest& request);

}  // namespace scalemark::llm
