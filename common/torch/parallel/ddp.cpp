// SPDX-License-Identifier: Apache-2.0
// Distributed data parallelism on c10d::Reducer.
#include "common/torch/parallel/ddp.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <torch/csrc/distributed/c10d/comm.hpp>

#include "common/base/clock.hpp"

namespace scalemark::torch_support {
namespace {

/// Largest message of a broadcast, in bytes, as in DistributedDataParallel.
constexpr std::size_t kBroadcastBytes = std::size_t{250} << 20;

}  // namespace

Ddp::Ddp(std::shared_ptr<torch::nn::Module> module, ProcessGroupPtr group,
         const DdpOptions& options)
    : module_(std::move(module)),
      group_(std::move(group)),
      options_(options),
      bucket_times_(module_->parameters().front().device()) {
  std::unordered_map<std::size_t, std::string> names;
  for (const auto& item : module_->named_parameters()) {
    if (!item.value().requires_grad()) continue;
    names[parameters_.size()] = item.key();
    parameters_.push_back(item.value());
  }
  buffers_ = module_->buffers();
  broadcast(module_->parameters());
  broadcast(buffers_);

  const std::vector<bool> sparse(parameters_.size(), false);
  std::vector<std::vector<std::size_t>> buckets =
      std::get<0>(c10d::compute_bucket_assignment_by_size(
          parameters_, {options_.first_bucket_bytes, options_.bucket_bytes}, sparse));
  // Gradients are ready from the last layer to the first.
  std::ranges::reverse(buckets);
  reducer_ = std::make_unique<c10d::Reducer>(
      parameters_, buckets, group_, sparse, static_cast<std::int64_t>(options_.bucket_bytes),
      /*find_unused_parameters=*/false, /*gradient_as_bucket_view=*/true, std::move(names),
      static_cast<std::int64_t>(options_.first_bucket_bytes),
      /*skip_all_reduce_unused_params=*/false,
      /*use_python_reducer=*/false,
      // Limits of its own for the rebuilt buckets; empty: the two above.
      /*bucket_bytes_cap_list=*/std::vector<std::int64_t>());
  if (parameters_.front().device().is_cpu()) {
    hook_ = parameters_.front().register_hook(
        [this](const at::Tensor&) { last_gradient_at_ = now_ns(); });
  }
}

Ddp::~Ddp() {
  if (hook_) parameters_.front().remove_hook(*hook_);
}

std::uint64_t Ddp::exposed_communication() const {
  return last_gradient_at_ > 0 ? now_ns() - last_gradient_at_ : 0;
}

void Ddp::before_forward() {
  reducer_->prepare_for_forward();
  // After the first step: orders the buckets as the gradients became ready.
  if (reducer_->rebuild_buckets())
    bucket_times_.watch(reducer_->get_grad_buckets(/*return_zero_tensors=*/false));
  if (options_.broadcast_buffers && module_->is_training()) broadcast(buffers_);
}

void Ddp::broadcast_buffers() { broadcast(buffers_); }

void Ddp::before_backward() {
  reducer_->prepare_for_backward({});
  bucket_times_.start();
}

void Ddp::zero_gradients() {
  for (at::Tensor& parameter : parameters_) {
    if (parameter.grad().defined()) parameter.mutable_grad().zero_();
  }
}

void Ddp::broadcast(const std::vector<at::Tensor>& tensors) {
  const at::NoGradGuard no_grad;
  if (!tensors.empty()) c10d::broadcast_coalesced(group_, tensors, kBroadcastBytes);
}

}  // namespace scalemark::torch_support
