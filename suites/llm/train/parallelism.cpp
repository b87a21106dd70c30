// SPDX-License-Identifier: Apache-2.0
// The kinds of parallelism of a training.
#include "suites/llm/train/parallelism.hpp"

#include <optional>
#include <utility>

#include <torch/nn/modules/container/modulelist.h>
#include <torch/utils.h>

#include "common/torch/fingerprint.hpp"
#include "common/torch/parallel/ddp.hpp"
#include "suites/llm/optim/gradient_norm.hpp"

namespace scalemark::llm {
namespace {

using torch_support::Fsdp;
using torch_support::ProcessGroupPtr;

void drop_gradients(const std::vector<torch::Tensor>& parameters) {
  for (const torch::Tensor& parameter : parameters) parameter.mutable_grad().reset();
}

class Single final : public Parallelism {
 public:
  void add(Llama& model) override { parameters_ = trainable_parameters(*model); }
  const std::vector<torch::Tensor>& parameters() const override { return parameters_; }
  torch::Tensor gradient_norm() override { return llm::gradient_norm(parameters_); }
  void zero_gradients() override { drop_gradients(parameters_); }

 private:
  std::vector<torch::Tensor> parameters_;
};

class DataParallel final : public Parallelism {
 public:
  explicit DataParallel(ProcessGroupPtr group) : group_(std::move(group)) {}
  void add(Llama& model) override {
    parameters_ = trainable_parameters(*model);
    // Buffers hold quantised weights, which no step changes.
    ddp_.emplace(model.ptr(), group_, torch_support::DdpOptions{.broadcast_buffers = false});
  }
  const std::vector<torch::Tensor>& parameters() const override { return parameters_; }
  /// DDP leaves the mean over the ranks.
  double loss_factor() const override { return group_->getSize(); }
  // Buckets are reduced only with the last micro-batch's gradients.
  void before_forward(bool last) override {
    if (last) ddp_->before_forward();
  }
  void before_backward(bool last) override {
    if (last) ddp_->before_backward();
  }
  torch::Tensor gradient_norm() override { return llm::gradient_norm(parameters_); }
  void zero_gradients() override { ddp_->zero_gradients(); }
  Communication take_communication() override {
    return {.exposed = ddp_->exposed_communication(), .traffic = {}};
  }
  std::vector<torch_support::BucketReady> gradient_buckets() override {
    return ddp_->gradient_buckets();
  }

 private:
  ProcessGroupPtr group_;
  std::vector<torch::Tensor> parameters_;
  std::optional<torch_support::Ddp> ddp_;
};

/// A model whose layers are Fsdp's units.
class ShardedModel final : public LayerGate {
 public:
  ShardedModel(const ProcessGroupPtr& group, const torch_support::FsdpOptions& options,
               std::shared_ptr<torch_support::FsdpRecord> record)
      : fsdp_(group, options, std::move(record)) {}
  Fsdp& fsdp() { return fsdp_; }
  const Fsdp& fsdp() const { return fsdp_; }

  void add_part(const torch::nn::Module& part) {
    if (part.as<DecoderLayerImpl>() == nullptr)
      fsdp_.shard_root(part);
    else
      fsdp_.shard(layers_++, part);
  }
  void add(Llama& model) {
    std::size_t layer = 0;
    for (const auto& part : model->modules(/*include_self=*/false)) {
      if (part->as<DecoderLayerImpl>() != nullptr) fsdp_.shard(layer++, *part);
    }
    for (const auto& part : model->children()) {
      if (part->as<torch::nn::ModuleListImpl>() == nullptr) fsdp_.shard_root(*part);
    }
    fsdp_.prepare();
    model->set_gate(this);
  }
  void open() override { fsdp_.before_forward(); }
  torch::Tensor pass(std::size_t layer, const Layer& compute, const torch::Tensor& x) override {
    return fsdp_.forward(layer, compute, x);
  }

 private:
  Fsdp fsdp_;
  std::size_t layers_ = 0;
};

class FullySharded final : public Parallelism {
 public:
  FullySharded(ProcessGroupPtr group, const torch_support::FsdpOptions& options,
               torch::Device device)
      : group_(std::move(group)),
        options_(options),
        device_(device),
        record_(std::make_shared<torch_support::FsdpRecord>(device, group_->getSize())),
        trained_(group_, options_, record_) {}

  void add_part(torch::nn::Module& part) override { trained_.add_part(part); }
  void add(Llama& model) override { trained_.add(model); }
  /// Part by part, as the model itself was made.
  Llama make_frozen_copy(const Llama& model) override {
    copies_.push_back(std::make_unique<ShardedModel>(group_, options_, record_));
    const std::vector<torch::Tensor> originals = model->parameters();
    auto next = originals.begin();
    const auto fill = [&](torch::nn::Module& part) {
      const torch::NoGradGuard no_grad;
      std::vector<torch::Tensor> parameters = part.parameters();
      const auto end = next + static_cast<std::ptrdiff_t>(parameters.size());
      auto copied = parameters.begin();
      visit({next, end}, [&](const torch::Tensor& original) {
        copied->copy_(original);
        copied->set_requires_grad(false);
        ++copied;
      });
      next = end;
      copies_.back()->add_part(part);
    };
    Llama copy(model->config(), model->options(), fill, Initial::unset);
    copies_.back()->add(copy);
    return copy;
  }

  const std::vector<torch::Tensor>& parameters() const override { return trained_.fsdp().parts(); }
  void after_backward() override {
    trained_.fsdp().after_backward();
    for (const auto& copy : copies_) copy->fsdp().release();
  }
  torch::Tensor gradient_norm() override {
    const torch::Tensor mine = llm::gradient_norm(parameters());
    std::vector<torch::Tensor> sum{mine.to(torch::kDouble).square().to(device_)};
    group_->allreduce(sum)->wait();
    return sum.front().sqrt().to(mine.options());
  }
  void zero_gradients() override { drop_gradients(parameters()); }
  Communication take_communication() override { return record_->take_step(); }
  std::vector<torch_support::ShardMessage> shard_messages() override { return record_->messages(); }
  void visit(const std::vector<torch::Tensor>& tensors,
             const std::function<void(const torch::Tensor&)>& see) override {
    trained_.fsdp().visit(tensors, see);
    record_->discard();  // is outside the steps
  }

 private:
  ProcessGroupPtr group_;
  torch_support::FsdpOptions options_;
  torch::Device device_;
  std::shared_ptr<torch_support::FsdpRecord> record_;
  ShardedModel trained_;
  std::vector<std::unique_ptr<ShardedModel>> copies_;
};

}  // namespace

void Parallelism::visit(const std::vector<torch::Tensor>& tensors,
                        const std::function<void(const torch::Tensor&)>& see) {
  for (const torch::Tensor& tensor : tensors) see(tensor);
}

std::unique_ptr<Parallelism> make_single() { return std::make_unique<Single>(); }

std::unique_ptr<Parallelism> make_ddp(ProcessGroupPtr group) {
  return std::make_unique<DataParallel>(std::move(group));
}

std::unique_ptr<Parallelism> make_fsdp(ProcessGroupPtr group,
                                       const torch_support::FsdpOptions& options,
                                       torch::Device device) {
  return std::make_unique<FullySharded>(std::move(group), options, device);
}

std::uint64_t fingerprint(Parallelism& parallelism, const Llama& model) {
  std::uint64_t hash = 0;
  parallelism.visit(model->parameters(), [&](const torch::Tensor& tensor) {
    hash = torch_support::fingerprint({tensor}, hash);
  });
  return hash;
}

}  // namespace scalemark::llm
